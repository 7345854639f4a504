import type { OperationObject, ParameterObject, ReferenceObject, RequestBodyObject, ResponseObject } from '@nestjs/swagger';
import {
  MAXIMUM_TARGET_BYTES,
  mediaTypesOf,
  readsPage,
  type DescribedAnswer,
  type DescribedBody,
  type DescribedOperation,
  type Route,
} from '#libs/api-kit';
import { bodySchema } from './components.js';
import { describedParameters, isConditionalRead } from './described-parameters.js';
import { GENERAL_REFUSALS, type ErrorResponses, type ErrorStatus } from './error-responses.js';
import {
  createdHeaders,
  deprecationAndHelpHeaders,
  deprecationHeaders,
  entityTagHeader,
  furtherHeaders,
  generalHeaders,
  nextPageAndHelpHeader,
  nextPageHeader,
  optionalEntityTagHeader,
  refusalHeaders,
  replayedHeader,
  type Headers,
} from './headers.js';

/** An operation with what the service says of it beside what OpenAPI knows. */
export interface ExtendedOperation extends OperationObject {
  readonly 'x-stability'?: DescribedOperation['stability'];
}

/** What follows for an operation from what its route says: stability, parameters, body, answers and refusals. */
export function describedOperation(
  route: Route,
  errors: ErrorResponses,
): Partial<ExtendedOperation> & Pick<ExtendedOperation, 'responses'> {
  const { access, operation, reads = {}, deprecation } = route.config;
  return {
    ...(deprecation && { deprecated: true }),
    ...(operation?.stability && { 'x-stability': operation.stability }),
    parameters: describedParameters(route),
    ...(reads.body && { requestBody: requestBody(reads.body) }),
    security: access === 'public' ? [] : [{ bearerAuth: [] }],
    responses: operation ? { ...answers(route), ...refusals(route, errors) } : {},
  };
}

function requestBody(body: DescribedBody): RequestBodyObject {
  const described = { schema: bodySchema(body), examples: body.examples };
  return { required: !body.optional, content: Object.fromEntries(mediaTypesOf(body).map((mediaType) => [mediaType, described])) };
}

function answers(route: Route): Record<string, ResponseObject> {
  const { operation } = route.config;
  if (!operation) return {};
  const { answer } = operation;
  const headers = { ...generalHeaders, ...headersOfAnswer(route) };
  return {
    [statusOf(route)]: { description: answer.description, headers, ...contentOf(answer) },
    ...(isConditionalRead(route) && { 304: { description: 'It is still what If-None-Match names.', headers } }),
  };
}

function contentOf({ schema, examples = {}, representations = {} }: DescribedAnswer): Pick<ResponseObject, 'content'> {
  return schema ? { content: { 'application/json': { schema, examples }, ...representations } } : {};
}

function statusOf({ method, config: { operation } }: Route): number {
  return operation?.answer.status ?? (method === 'POST' ? 201 : 200);
}

/** Those of the answer when all is well, which a 304 and a 412 have too. */
function headersOfAnswer(route: Route): Headers {
  const { operation, reads = {}, deprecation } = route.config;
  const status = statusOf(route);
  return {
    ...furtherHeaders(operation?.answer.headers ?? {}),
    ...((isConditionalRead(route) || operation?.answer.tagged) &&
      (operation?.answer.representations ? optionalEntityTagHeader : entityTagHeader)),
    ...(readsPage(reads) && nextPageHeader),
    ...(status === 201 && createdHeaders),
    ...(reads.idempotencyKey && replayedHeader),
    ...(deprecation && deprecationHeaders),
  };
}

function refusals(route: Route, errors: ErrorResponses): Record<string, ResponseObject | ReferenceObject> {
  const { operation, reads = {}, deprecation } = route.config;
  const statuses = new Set<ErrorStatus>([
    400,
    ...(operation?.refuses ?? []),
    405,
    406,
    ...(reads.body ? ([413, 415] as const) : []),
    ...(reads.idempotencyKey ? ([409, 422] as const) : []),
    ...(deprecation ? ([410] as const) : []),
    ...(isConditionalRead(route) || reads.precondition || reads.idempotencyKey ? ([412] as const) : []),
    ...GENERAL_REFUSALS,
  ]);
  return Object.fromEntries(
    [...statuses].map((status) => {
      const headers = refusalHeadersOf(route, status);
      return [status, Object.keys(headers).length > 0 ? errors.response(status, headers) : errors.reference(status)];
    }),
  );
}

/** Those beside what the refusal has everywhere. */
function refusalHeadersOf(route: Route, status: ErrorStatus): Headers {
  const { deprecation, reads = {} } = route.config;
  return {
    ...(status === 412 && (isConditionalRead(route) ? headersOfAnswer(route) : reads.precondition && entityTagHeader)),
    ...(status === 412 && readsPage(reads) && nextPageAndHelpHeader),
    ...(deprecation && FROM_THE_HANDLER.has(status) && deprecationAndHelpHeaders),
  };
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

/** What a path has between two slashes, in a target of at most so many bytes. */
const PATH_SEGMENT = { type: 'string', minLength: 1, maxLength: MAXIMUM_TARGET_BYTES, pattern: '^[^/]+$' };

/** `OPTIONS`, which every path has without a controller. */
export function optionsOperation(
  { operationId, tags = [], parameters = [], security = [], 'x-stability': stability }: ExtendedOperation,
  errors: ErrorResponses,
): ExtendedOperation {
  const inPath = parameters.filter((parameter): parameter is ParameterObject => 'in' in parameter && parameter.in === 'path');
  return {
    operationId: `${operationId}Options`,
    summary: 'The methods of this path',
    description: 'Parameters and a body are not looked at; what is at the path need not exist.',
    tags,
    security,
    ...(stability && { 'x-stability': stability }),
    parameters: inPath.map(({ name }) => ({ name, in: 'path', required: true, schema: PATH_SEGMENT })),
    responses: {
      204: { description: 'Allow names the methods.', headers: { ...generalHeaders, ...refusalHeaders('Allow', 'Accept-Patch') } },
      ...Object.fromEntries([400 as const, ...GENERAL_REFUSALS].map((status) => [status, errors.reference(status)])),
    },
  };
}
