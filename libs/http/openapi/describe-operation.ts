import 'reflect-metadata';
import type { OperationObject, ParameterObject, ReferenceObject, RequestBodyObject, ResponseObject, SchemaObject } from '@nestjs/swagger';
import {
  listMediaTypes,
  type DescribedAnswer,
  type DescribedBody,
  type DescribedOperation,
  type RouteAccess,
  type RouteReads,
} from '../routes/route-metadata.js';
import { getInputSchema } from '../validation/rules.js';
import { MAX_KEY_LENGTH } from '../input/read-request.js';
import { readsPage } from '../pagination/pages.js';
import type { Route } from '../admission/route-table.js';
import { bodySchema } from './components.js';
import { errorReference, type ErrorStatus } from './error-responses.js';
import { generalHeaders, headers, type Headers } from './headers.js';

/** An operation with its stability, an extension of OpenAPI. */
export interface ExtendedOperation extends OperationObject {
  readonly 'x-stability'?: 'experimental' | 'beta';
}

type Responses = Record<string, ResponseObject | ReferenceObject>;

/** Where `@ApiTags` of `@nestjs/swagger` stores the tags of a controller. */
const TAGS = 'swagger/apiUseTags';

/** Describes an operation from the decorators of its handler and controller. */
export function describeOperation(route: Route, operation: DescribedOperation): ExtendedOperation {
  const { access, controller, reads = {}, deprecation } = route.config;
  const { id, summary, description, stability = 'experimental' } = operation;
  const scopes = requiredScopes(route);
  return {
    description: [description, ...scopeSentence(access, scopes)].join('\n\n'),
    operationId: id,
    parameters: describeParameters(route),
    responses: { ...successes(route, operation), ...refusals(route, operation) },
    summary,
    tags: (controller && (Reflect.getMetadata(TAGS, controller) as string[] | undefined)) ?? [],
    ...(deprecation && { deprecated: true }),
    ...(stability !== 'stable' && { 'x-stability': stability }),
    ...(reads.body && { requestBody: requestBody(reads.body) }),
    security: access === 'public' ? [] : [{ bearerAuth: scopes }],
  };
}

/** The scopes that a key needs for a route, all of them. */
function requiredScopes({ config: { access, admittedBy } }: Route): string[] {
  return [...(typeof access === 'object' ? [access.scope] : []), ...(admittedBy?.scopes ?? [])];
}

function scopeSentence(access: RouteAccess | undefined, scopes: readonly string[]): string[] {
  if (access === 'public') return [];
  if (scopes.length === 0) return ['Any valid API key will do; it needs no scope.'];
  return [`The API key needs the scope${scopes.length > 1 ? 's' : ''} ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`];
}

function requestBody(body: DescribedBody): RequestBodyObject {
  const described = { schema: bodySchema(body), examples: body.examples };
  return { required: !body.optional, content: Object.fromEntries(listMediaTypes(body).map((mediaType) => [mediaType, described])) };
}

function successes(route: Route, { answer }: DescribedOperation): Responses {
  const { description, schema, examples = {}, representations } = answer;
  const all = { ...generalHeaders, ...successHeaders(route, answer) };
  const content = schema && { content: { 'application/json': { schema, examples }, ...representations } };
  return {
    [successStatus(route, answer)]: { description, headers: all, ...content },
    ...(isConditionalRead(route) && { 304: { description: 'Not modified.', headers: all } }),
  };
}

function successStatus({ method }: Route, { status }: DescribedAnswer): number {
  return status ?? (method === 'POST' ? 201 : 200);
}

/** The headers of a successful response, which its 304 has too. */
function successHeaders(route: Route, answer: DescribedAnswer): Headers {
  const { reads = {}, deprecation } = route.config;
  const further = Object.entries(answer.headers ?? {});
  return {
    ...Object.fromEntries(further.map(([name, description]) => [name, { description, required: false, schema: { type: 'string' } }])),
    ...((isConditionalRead(route) || answer.tagged) && headers(answer.representations ? 'ETag-of-some' : 'ETag')),
    ...(readsPage(reads) && headers('Link-next')),
    ...(successStatus(route, answer) === 201 && headers('Location')),
    ...(reads.idempotencyKey && headers('Idempotency-Replayed')),
    ...(deprecation && headers('Deprecation', 'Sunset', 'Link-successor-version')),
  };
}

/** The refusals that the operation names, and one response for all others. */
function refusals(route: Route, { refuses = [] }: DescribedOperation): Responses {
  const { access, reads = {}, deprecation } = route.config;
  const statuses = new Set<ErrorStatus>([
    400,
    ...(access === 'public' ? [] : ([401, 403] as const)),
    ...refuses,
    ...(reads.idempotencyKey ? ([409, 422] as const) : []),
    ...(deprecation ? ([410] as const) : []),
    ...(isConditionalRead(route) || reads.precondition || reads.idempotencyKey ? ([412] as const) : []),
    429,
  ]);
  return { ...Object.fromEntries([...statuses].map((status) => [status, errorReference(status)])), default: errorReference() };
}

/** Describes the parameters that a route reads from its path, query and headers. */
function describeParameters(route: Route): ParameterObject[] {
  const { path = {}, query, headers: further = {}, idempotencyKey, precondition } = route.config.reads ?? {};
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
    ...Object.entries(further).map(([name, description]) => headerParameter(name, description)),
    ...(idempotencyKey ? [IDEMPOTENCY_KEY] : []),
    ...(isConditional || precondition ? [IF_MATCH] : []),
    ...(isConditional ? [IF_NONE_MATCH] : []),
    ...(precondition || idempotencyKey ? [IF_NONE_MATCH_OF_WRITE] : []),
  ];
}

/** Whether a route is a read whose response has an `ETag`, so that it takes conditions. */
function isConditionalRead({ method, config: { cached, operation } }: Route): boolean {
  return method === 'GET' && (cached !== undefined || operation?.answer.tagged === true);
}

function queryParameters(query: NonNullable<RouteReads['query']>): ParameterObject[] {
  const { properties, required } = getInputSchema(query);
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

function headerParameter(name: string, description: string, schema: SchemaObject = { type: 'string' }): ParameterObject {
  return { name, in: 'header', required: false, description, schema };
}

const IDEMPOTENCY_KEY: ParameterObject = {
  ...headerParameter(
    'Idempotency-Key',
    `A key of the client for this request to this operation: 1 to ${MAX_KEY_LENGTH} printable ASCII characters, as they are or as a quoted string. The same key and values within 24 hours repeat the first ` +
      'answer; with other values they get 422, and 409 while the first request is still running.',
    {
      type: 'string',
      minLength: 1,
      maxLength: MAX_KEY_LENGTH,
      pattern: '^(?:[\\x21\\x23-\\x7e][\\x20-\\x7e]*|"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\])+")$',
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
