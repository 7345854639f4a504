import type { ParameterObject } from '@nestjs/swagger';
import { MAXIMUM_HEAD_BYTES, type Route, type RouteReads } from '#libs/api-kit';
import { schemaOf } from '#libs/validation';

/** What a route reads beside the body, in its path, its query and its headers. */
export function describedParameters(route: Route): ParameterObject[] {
  const { reads = {} } = route.config;
  return [...pathParameters(reads), ...queryParameters(reads), ...headerParameters(reads, isConditionalRead(route))];
}

/** Whether a route is a read whose answer has an `ETag` and may be asked for again by it. */
export function isConditionalRead({ method, config: { cached, operation } }: Route): boolean {
  return method === 'GET' && (cached !== undefined || operation?.answer.tagged === true);
}

function pathParameters({ path = {} }: RouteReads): ParameterObject[] {
  return Object.entries(path).map(([name, description]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'integer', format: 'int64' },
  }));
}

function queryParameters({ query }: RouteReads): ParameterObject[] {
  if (!query) return [];
  const { properties, required } = schemaOf(query);
  const defaults = new (query as new () => Readonly<Record<string, unknown>>)();
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name) && defaults[name] === undefined,
    ...(typeof description === 'string' && { description }),
    // Lists are written with commas; the form that repeats the parameter is the one that OpenAPI assumes.
    ...(schema['type'] === 'array' && { style: 'form', explode: false }),
    schema,
  }));
}

function headerParameters({ headers = {}, idempotencyKey, precondition }: RouteReads, isConditionalRead: boolean): ParameterObject[] {
  const own = Object.entries(headers).map(([name, description]): ParameterObject => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: HEADER_VALUE,
  }));
  return [
    ...own,
    ...(idempotencyKey ? [IDEMPOTENCY_KEY] : []),
    ...(isConditionalRead || precondition ? [IF_MATCH] : []),
    ...(isConditionalRead ? [IF_NONE_MATCH] : []),
    ...(precondition || idempotencyKey ? [IF_NONE_MATCH_OF_WRITE] : []),
  ];
}

/** Any value that a header can have (RFC 9110 section 5.5) in a head of at most so many bytes. */
const HEADER_VALUE = { type: 'string', pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$', maxLength: MAXIMUM_HEAD_BYTES };

const IDEMPOTENCY_KEY: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A key of the client for this request to this operation: 1 to 255 printable ASCII characters, as they are or as a quoted string. The same key and values within 24 hours repeat the first ' +
    'answer; with other values they get 422, and 409 while the first request is still running.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 2 + 2 * 255,
    pattern: '^(?:[\\x21\\x23-\\x7e][\\x20-\\x7e]{0,254}|"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255}")$',
  },
  example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
};

const IF_MATCH: ParameterObject = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'Entity tags that the client relies on; when none of them holds, the answer is 412 (RFC 9110 section 13.1.1).',
  schema: HEADER_VALUE,
};

const IF_NONE_MATCH_OF_WRITE: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'Entity tags; when one of them holds, or it is `*` and there is something, the answer is 412 (RFC 9110 section 13.1.2).',
  schema: HEADER_VALUE,
};

const IF_NONE_MATCH: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'Entity tags of copies that the client has; when one still holds, the answer is 304 without a body (RFC 9110 section 13.1.2).',
  schema: HEADER_VALUE,
};
