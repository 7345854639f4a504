import type { OperationObject, ParameterObject, ReferenceObject, RequestBodyObject, ResponseObject } from '@nestjs/swagger';
import { MAXIMUM_TARGET_BYTES } from '../request/request-context.js';
import { mediaTypesOf, type DescribedAnswer, type DescribedBody, type DescribedOperation } from '../routes/route-metadata.js';
import { readsPage } from '../pagination/pages.js';
import type { Route } from '../admission/route-table.js';
import { bodySchema } from './components.js';
import { describeParameters, isConditionalRead } from './describe-parameters.js';
import { GENERAL_ERRORS, type ErrorResponses, type ErrorStatus } from './error-responses.js';
import { generalHeaders, headers, headerValue, type Headers } from './headers.js';

/** An operation with its stability, an extension of OpenAPI. */
export interface ExtendedOperation extends OperationObject {
  readonly 'x-stability'?: DescribedOperation['stability'];
}

type Responses = Record<string, ResponseObject | ReferenceObject>;

/** Where `@ApiTags` of `@nestjs/swagger` stores the tags of a controller. */
const TAGS = 'swagger/apiUseTags';

/** Describes an operation from the decorators of its handler and controller. */
export function describeOperation(route: Route, operation: DescribedOperation, errors: ErrorResponses): ExtendedOperation {
  const { access, controller, reads = {}, deprecation } = route.config;
  const { id, summary, description, stability } = operation;
  return {
    description,
    operationId: id,
    parameters: describeParameters(route),
    responses: { ...successes(route, operation), ...refusals(route, operation, errors) },
    summary,
    tags: (controller && (Reflect.getMetadata(TAGS, controller) as string[] | undefined)) ?? [],
    ...(deprecation && { deprecated: true }),
    ...(stability && { 'x-stability': stability }),
    ...(reads.body && { requestBody: requestBody(reads.body) }),
    security: access === 'public' ? [] : [{ bearerAuth: [] }],
  };
}

function requestBody(body: DescribedBody): RequestBodyObject {
  const described = { schema: bodySchema(body), examples: body.examples };
  return { required: !body.optional, content: Object.fromEntries(mediaTypesOf(body).map((mediaType) => [mediaType, described])) };
}

function successes(route: Route, { answer }: DescribedOperation): Responses {
  const all = { ...generalHeaders, ...successHeaders(route, answer) };
  return {
    [successStatus(route, answer)]: { description: answer.description, headers: all, ...content(answer) },
    ...(isConditionalRead(route) && { 304: { description: 'It is still what If-None-Match names.', headers: all } }),
  };
}

function content({ schema, examples = {}, representations = {} }: DescribedAnswer): Pick<ResponseObject, 'content'> {
  return schema ? { content: { 'application/json': { schema, examples }, ...representations } } : {};
}

function successStatus({ method }: Route, { status }: DescribedAnswer): number {
  return status ?? (method === 'POST' ? 201 : 200);
}

/** The headers of a successful response, which its 304 and 412 have too. */
function successHeaders(route: Route, answer: DescribedAnswer): Headers {
  const { reads = {}, deprecation } = route.config;
  const further = Object.entries(answer.headers ?? {});
  return {
    ...Object.fromEntries(further.map(([name, description]) => [name, { description, required: false, schema: headerValue }])),
    ...((isConditionalRead(route) || answer.tagged) && headers(answer.representations ? 'ETag-of-some' : 'ETag')),
    ...(readsPage(reads) && headers('Link-next')),
    ...(successStatus(route, answer) === 201 && headers('Location')),
    ...(reads.idempotencyKey && headers('Idempotency-Replayed')),
    ...(deprecation && headers('Deprecation', 'Sunset', 'Link-successor-version')),
  };
}

function refusals(route: Route, { answer, refuses = [] }: DescribedOperation, errors: ErrorResponses): Responses {
  const { reads = {}, deprecation } = route.config;
  const isConditional = isConditionalRead(route);
  const statuses = new Set<ErrorStatus>([
    ...([400, 405, 406] as const),
    ...refuses,
    ...(reads.body ? ([413, 415] as const) : []),
    ...(reads.idempotencyKey ? ([409, 422] as const) : []),
    ...(deprecation ? ([410] as const) : []),
    ...(isConditional || reads.precondition || reads.idempotencyKey ? ([412] as const) : []),
    ...GENERAL_ERRORS,
  ]);
  const furtherHeaders = (status: ErrorStatus): Headers => ({
    ...(status === 412 && isConditional && successHeaders(route, answer)),
    ...(status === 412 && !isConditional && reads.precondition && headers('ETag')),
    ...(status === 412 && readsPage(reads) && headers('Link-next-and-help')),
    ...(deprecation && REFUSED_BY_HANDLER.has(status) && headers('Deprecation', 'Sunset', 'Link-successor-version-and-help')),
  });
  return Object.fromEntries(
    [...statuses].map((status) => {
      const further = furtherHeaders(status);
      return [status, Object.keys(further).length > 0 ? errors.response(status, further) : errors.reference(status)];
    }),
  );
}

/** Errors that may occur after the handler has set its headers. */
const REFUSED_BY_HANDLER: ReadonlySet<ErrorStatus> = new Set([400, 404, 409, 410, 412, 422, 500, 503] as const);

/** Describes `HEAD`, which every path with `GET` has without a handler. */
export function describeHead(get: ExtendedOperation, errors: ErrorResponses): ExtendedOperation {
  const withoutContent = Object.entries(get.responses).map(([status, response]) => {
    // A shared response has content, so it is written out.
    const whole = response && '$ref' in response ? errors.response(Number(status) as ErrorStatus) : response;
    return [status, { ...whole, content: undefined }];
  });
  return {
    ...get,
    operationId: `${get.operationId}Head`,
    summary: `${get.summary}, without the body`,
    description: 'Answers with the status and the headers that GET would have.',
    responses: Object.fromEntries(withoutContent) as Responses,
  };
}

/** A path segment; longer request targets are rejected. */
const PATH_SEGMENT = { type: 'string', minLength: 1, maxLength: MAXIMUM_TARGET_BYTES, pattern: '^[^/]+$' };

/** Describes `OPTIONS`, which every path has without a handler. */
export function describeOptions(operation: ExtendedOperation, errors: ErrorResponses): ExtendedOperation {
  const { operationId, tags = [], parameters = [], security = [], 'x-stability': stability } = operation;
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
      204: { description: 'Allow names the methods.', headers: { ...generalHeaders, ...headers('Allow', 'Accept-Patch') } },
      ...Object.fromEntries([400 as const, ...GENERAL_ERRORS].map((status) => [status, errors.reference(status)])),
    },
  };
}
