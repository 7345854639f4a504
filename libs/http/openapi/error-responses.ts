import type { ReferenceObject, ResponseObject, SchemaObject } from '@nestjs/swagger';
import { errorTable, MAX_FIELD_ERRORS, type ErrorCode, type ErrorDefinition } from '#libs/observability';
import { generalHeaders, headers, type Headers } from './headers.js';

export type ErrorStatus = (typeof errorTable)[ErrorCode];

/** Error statuses of every request. */
export const GENERAL_ERRORS = [401, 403, 408, 414, 417, 429, 431, 500, 501, 503, 505] as const satisfies readonly ErrorStatus[];

/** The component's name, description and further headers of the response with each status. */
const responses: Readonly<Record<ErrorStatus, readonly [name: string, description: string, further?: Headers]>> = {
  400: ['BadRequest', 'A parameter, a header, the body or the request itself is not valid.'],
  401: ['Unauthorized', 'The API key is missing or not valid.', headers('WWW-Authenticate')],
  403: ['Forbidden', 'The API key lacks the scope that this operation needs.', headers('WWW-Authenticate')],
  404: ['NotFound', 'There is no such resource.'],
  405: ['MethodNotAllowed', 'The path has no such method.', headers('Allow')],
  406: ['NotAcceptable', 'The client does not accept `application/json`.'],
  408: ['RequestTimeout', 'The request did not arrive in time.'],
  409: [
    'Conflict',
    'What there is does not allow it, others came first, or a request with this Idempotency-Key is still running.',
    headers('Retry-After-running'),
  ],
  410: ['Gone', 'The operation was removed, since when Sunset tells; or the log has lost the position that the request names.'],
  412: ['PreconditionFailed', 'If-Match names no entity tag that holds, or If-None-Match names one.'],
  413: ['PayloadTooLarge', 'The body is too large.'],
  414: ['UriTooLong', 'The request target is over 8,192 bytes.'],
  415: [
    'UnsupportedMediaType',
    'The body is not sent as a content type that the operation takes, or with a coding.',
    headers('Accept', 'Accept-Patch', 'Accept-Encoding'),
  ],
  417: ['ExpectationFailed', 'The request expects what the service does not know.'],
  422: ['IdempotencyKeyReused', 'The Idempotency-Key was used with other values.'],
  429: ['TooManyRequests', 'The limits of the plan are used up, or the key is banned for a while.', headers('Retry-After')],
  431: ['HeadersTooLarge', 'The head of the request is over 16,384 bytes.'],
  500: ['InternalError', 'The service failed; the log has the reason under the request id.'],
  501: ['NotImplemented', 'The body has a Transfer-Encoding other than `chunked`.'],
  503: ['ServiceUnavailable', 'The service cannot answer at the moment.', headers('Retry-After')],
  505: ['HttpVersionNotSupported', 'The request is neither HTTP/1.1 nor HTTP/1.0.'],
};

/** Error responses with the codes of the service and of its modules. */
export class ErrorResponses {
  readonly schema: SchemaObject;
  private readonly codes: readonly Omit<ErrorDefinition, 'remedy'>[];

  constructor(ofModules: readonly ErrorDefinition[]) {
    const ofService = Object.entries(errorTable).map(([code, status]) => ({ code, status, description: responses[status][1] }));
    this.codes = [...ofService, ...ofModules];
    this.schema = {
      type: 'object',
      description: 'Why a request was refused.',
      required: ['code', 'message', 'status'],
      additionalProperties: false,
      properties: {
        code: { type: 'string', enum: this.codes.map(({ code }) => code).sort(), description: 'A stable name of the reason.' },
        message: { type: 'string', description: 'What is wrong, with every field at fault, and what would be right.' },
        status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, description: 'The HTTP status of the answer.' },
        errors: {
          type: 'array',
          minItems: 1,
          maxItems: MAX_FIELD_ERRORS,
          description: 'Each value that is refused; absent if no single value is.',
          items: {
            type: 'object',
            required: ['field', 'rule', 'message'],
            additionalProperties: false,
            properties: {
              field: {
                type: 'string',
                description: 'The name of the member, parameter or header, such as `categoryId` or `limits.perDay`.',
              },
              rule: {
                type: 'string',
                maxLength: 32,
                pattern: '^[A-Za-z0-9]+$',
                description: 'A word for programs, such as `required`, `unknown`, `repeated`, `int64` or `text`.',
              },
              message: { type: 'string', description: 'The mistake in this value, and the expected form.' },
            },
          },
        },
      },
    };
  }

  /** Returns the shared responses by component name. */
  components(): Record<string, ResponseObject> {
    const statuses = Object.keys(responses).map(Number) as ErrorStatus[];
    return Object.fromEntries(statuses.map((status) => [responses[status][0], this.response(status)]));
  }

  /** Describes a response, with further headers of an operation. */
  response(status: ErrorStatus, ofOperation: Headers = {}): ResponseObject {
    const [, description, further] = responses[status];
    const codes = this.codes.filter((code) => code.status === status);
    const examples = Object.fromEntries(codes.map(({ code, description: message }) => [code, { value: { code, message, status } }]));
    return {
      description,
      headers: { ...generalHeaders, ...headers('Link-help'), ...further, ...ofOperation },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples } },
    };
  }

  /** References a shared response. */
  reference(status: ErrorStatus): ReferenceObject {
    return { $ref: `#/components/responses/${responses[status][0]}` };
  }
}
