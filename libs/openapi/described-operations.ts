import type { OperationObject, ParameterObject, ReferenceObject, RequestBodyObject, ResponseObject } from '@nestjs/swagger';
import type { DescribedBody, Route, RouteReads } from '#libs/api-kit';
import { PageRequest } from '#libs/api-kit';
import { schemaOf } from '#libs/validation';
import { bodySchema } from './components.js';
import { GENERAL_REFUSALS, type ErrorResponses, type ErrorStatus } from './error-responses.js';
import {
  createdHeaders,
  deprecationHeaders,
  entityTagHeader,
  generalHeaders,
  nextPageHeader,
  refusalHeaders,
  replayedHeader,
  type Headers,
} from './headers.js';

/** What follows for an operation from what its route says: parameters, body, answers and refusals. */
export function describedOperation(route: Route, errors: ErrorResponses): Partial<OperationObject> & Pick<OperationObject, 'responses'> {
  const { access, operation, reads = {}, cached, deprecation } = route.config;
  return {
    ...(deprecation && { deprecated: true }),
    parameters: [...pathParameters(reads), ...queryParameters(reads), ...headerParameters(reads, cached !== undefined)],
    ...(reads.body && { requestBody: requestBody(reads.body) }),
    security: access === 'public' ? [] : [{ bearerAuth: [] }],
    responses: operation ? { ...answers(route), ...refusals(route, errors) } : {},
  };
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
    schema,
  }));
}

function headerParameters({ idempotencyKey }: RouteReads, isConditional: boolean): ParameterObject[] {
  return [...(idempotencyKey ? [IDEMPOTENCY_KEY] : []), ...(isConditional ? CONDITIONS : [])];
}

const IDEMPOTENCY_KEY: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A key of the client for this request to this operation: 1 to 255 printable ASCII characters, as they are or as a quoted string. The same key and values within 24 hours repeat the first ' +
    'answer; with other values they get 422, and 409 while the first request is still running.',
  schema: { type: 'string', minLength: 1 },
  example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
};

const CONDITIONS: readonly ParameterObject[] = [
  {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'Entity tags that the client relies on; when none of them holds, the answer is 412 (RFC 9110 section 13.1.1).',
    schema: { type: 'string' },
  },
  {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description:
      'Entity tags of copies that the client has; when one still holds, the answer is 304 without a body (RFC 9110 section 13.1.2).',
    schema: { type: 'string' },
  },
];

function requestBody(body: DescribedBody): RequestBodyObject {
  return { required: true, content: { 'application/json': { schema: bodySchema(body), examples: body.examples } } };
}

function answers(route: Route): Record<string, ResponseObject> {
  const { operation, cached } = route.config;
  if (!operation) return {};
  const { answer } = operation;
  const headers = { ...generalHeaders, ...headersOfAnswer(route) };
  const { schema, examples = {} } = answer;
  const content = schema && { content: { 'application/json': { schema, examples } } };
  return {
    [statusOf(route)]: { description: answer.description, headers, ...content },
    ...(cached && { 304: { description: 'It is still what If-None-Match names.', headers } }),
  };
}

function statusOf({ method, config: { operation } }: Route): number {
  return operation?.answer.status ?? (method === 'POST' ? 201 : 200);
}

/** Those of the answer when all is well, which a 304 and a 412 have too. */
function headersOfAnswer(route: Route): Headers {
  const { reads = {}, cached, deprecation } = route.config;
  return {
    ...(cached && entityTagHeader),
    ...(reads.query && new reads.query() instanceof PageRequest && nextPageHeader),
    ...(statusOf(route) === 201 && createdHeaders),
    ...(reads.idempotencyKey && replayedHeader),
    ...(deprecation && deprecationHeaders),
  };
}

function refusals(route: Route, errors: ErrorResponses): Record<string, ResponseObject | ReferenceObject> {
  const { operation, reads = {}, cached, deprecation } = route.config;
  const statuses = new Set<ErrorStatus>([
    400,
    ...(operation?.refuses ?? []),
    405,
    406,
    ...(reads.body ? ([413, 415] as const) : []),
    ...(reads.idempotencyKey ? ([409, 422] as const) : []),
    ...(deprecation ? ([410] as const) : []),
    ...(cached ? ([412] as const) : []),
    ...GENERAL_REFUSALS,
  ]);
  return Object.fromEntries(
    [...statuses].map((status) => {
      const headers: Headers =
        status === 412 ? headersOfAnswer(route) : FROM_THE_HANDLER.has(status) && deprecation ? deprecationHeaders : {};
      return [status, Object.keys(headers).length > 0 ? errors.response(status, headers) : errors.reference(status)];
    }),
  );
}

/** Refusals that may come once the handler's own headers are set. */
const FROM_THE_HANDLER: ReadonlySet<ErrorStatus> = new Set([400, 404, 409, 410, 412, 422, 500, 503] as const);

/** `HEAD` beside `GET`, which the service has without a controller. */
export function headOperation(get: OperationObject, errors: ErrorResponses): OperationObject {
  return {
    ...get,
    operationId: `${get.operationId}Head`,
    summary: `${get.summary}, without the body`,
    description: 'Answers with the status and the headers that GET would have.',
    responses: Object.fromEntries(
      Object.entries(get.responses).map(([status, response]) => [status, response && withoutContent(Number(status), response, errors)]),
    ),
  };
}

/** What is shared has content, so it is written out. */
function withoutContent(status: number, response: ResponseObject | ReferenceObject, errors: ErrorResponses): ResponseObject {
  const { content: _content, ...rest } = '$ref' in response ? errors.response(status as ErrorStatus) : response;
  return rest;
}

/** `OPTIONS`, which every path has without a controller. */
export function optionsOperation(
  { operationId, tags = [], parameters = [], security = [] }: OperationObject,
  errors: ErrorResponses,
): OperationObject {
  const inPath = parameters.filter((parameter): parameter is ParameterObject => 'in' in parameter && parameter.in === 'path');
  return {
    operationId: `${operationId}Options`,
    summary: 'The methods of this path',
    description: 'Parameters and a body are not looked at; what is at the path need not exist.',
    tags,
    security,
    parameters: inPath.map(({ name }) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    responses: {
      204: { description: 'Allow names the methods.', headers: { ...generalHeaders, ...refusalHeaders('Allow') } },
      ...Object.fromEntries([400 as const, ...GENERAL_REFUSALS].map((status) => [status, errors.reference(status)])),
    },
  };
}
