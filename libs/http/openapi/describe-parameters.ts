import type { ParameterObject } from '@nestjs/swagger';
import type { Route } from '../admission/route-table.js';
import type { RouteReads } from '../routes/route-metadata.js';
import { schemaOf } from '../validation/validation.js';
import { headerValue } from './headers.js';

/** Describes the parameters that a route reads from its path, query and headers. */
export function describeParameters(route: Route): ParameterObject[] {
  const { path = {}, query, headers = {}, idempotencyKey, precondition } = route.config.reads ?? {};
  const isConditional = isConditionalRead(route);
  return [
    ...Object.entries(path).map(([name, description]): ParameterObject => ({
      name,
      in: 'path',
      required: true,
      description,
      schema: { type: 'integer', format: 'int64' },
    })),
    ...(query ? queryParameters(query) : []),
    ...Object.entries(headers).map(([name, description]) => headerParameter(name, description)),
    ...(idempotencyKey ? [IDEMPOTENCY_KEY] : []),
    ...(isConditional || precondition ? [IF_MATCH] : []),
    ...(isConditional ? [IF_NONE_MATCH] : []),
    ...(precondition || idempotencyKey ? [IF_NONE_MATCH_OF_WRITE] : []),
  ];
}

/** Whether a route is a read whose response has an `ETag`, so that it takes conditions. */
export function isConditionalRead({ method, config: { cached, operation } }: Route): boolean {
  return method === 'GET' && (cached !== undefined || operation?.answer.tagged === true);
}

function queryParameters(query: NonNullable<RouteReads['query']>): ParameterObject[] {
  const { properties, required } = schemaOf(query);
  const defaults = new (query as new () => Readonly<Record<string, unknown>>)();
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name) && defaults[name] === undefined,
    ...(typeof description === 'string' && { description }),
    // Lists are separated by commas; OpenAPI's default repeats the parameter.
    ...(schema['type'] === 'array' && { style: 'form', explode: false }),
    schema,
  }));
}

function headerParameter(name: string, description: string, schema = headerValue): ParameterObject {
  return { name, in: 'header', required: false, description, schema };
}

const IDEMPOTENCY_KEY: ParameterObject = {
  ...headerParameter(
    'Idempotency-Key',
    'A key of the client for this request to this operation: 1 to 255 printable ASCII characters, as they are or as a quoted string. The same key and values within 24 hours repeat the first ' +
      'answer; with other values they get 422, and 409 while the first request is still running.',
    {
      type: 'string',
      minLength: 1,
      maxLength: 2 + 2 * 255,
      pattern: '^(?:[\\x21\\x23-\\x7e][\\x20-\\x7e]{0,254}|"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255}")$',
    },
  ),
  example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
};
const IF_MATCH = headerParameter(
  'If-Match',
  'Entity tags that the client relies on; when none of them holds, the answer is 412 (RFC 9110 section 13.1.1).',
);
const IF_NONE_MATCH_OF_WRITE = headerParameter(
  'If-None-Match',
  'Entity tags; when one of them holds, or it is `*` and there is something, the answer is 412 (RFC 9110 section 13.1.2).',
);
const IF_NONE_MATCH = headerParameter(
  'If-None-Match',
  'Entity tags of copies that the client has; when one still holds, the answer is 304 without a body (RFC 9110 section 13.1.2).',
);
