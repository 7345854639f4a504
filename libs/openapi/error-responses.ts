import type { ReferenceObject, ResponseObject, SchemaObject } from '@nestjs/swagger';
import { errorTable, type ErrorCode, type ErrorDefinition } from '#libs/errors';
import { conflictHeaders, generalHeaders, helpHeader, refusalHeaders, type Headers } from './headers.js';

export type ErrorStatus = (typeof errorTable)[ErrorCode];

/** What any request may be refused with, whatever its method. */
export const GENERAL_REFUSALS = [401, 403, 408, 414, 417, 429, 431, 500, 501, 503, 505] as const satisfies readonly ErrorStatus[];

interface Refusal {
  readonly name: string;
  readonly description: string;
  readonly headers?: ReturnType<typeof refusalHeaders>;
}

const refusals: Readonly<Record<ErrorStatus, Refusal>> = {
  400: { name: 'BadRequest', description: 'A parameter, a header, the body or the request itself is not valid.' },
  401: { name: 'Unauthorized', description: 'The API key is missing or not valid.', headers: refusalHeaders('WWW-Authenticate') },
  403: {
    name: 'Forbidden',
    description: 'The API key lacks the scope that this operation needs.',
    headers: refusalHeaders('WWW-Authenticate'),
  },
  404: { name: 'NotFound', description: 'There is no such resource.' },
  405: { name: 'MethodNotAllowed', description: 'The path has no such method.', headers: refusalHeaders('Allow') },
  406: { name: 'NotAcceptable', description: 'The client does not accept `application/json`.' },
  408: { name: 'RequestTimeout', description: 'The request did not arrive in time.' },
  409: {
    name: 'Conflict',
    description: 'What there is does not allow it, others came first, or a request with this Idempotency-Key is still running.',
    headers: conflictHeaders,
  },
  410: {
    name: 'Gone',
    description: 'The operation was removed, since when Sunset tells; or the log has lost the position that the request names.',
  },
  412: { name: 'PreconditionFailed', description: 'If-Match names no entity tag that holds, or If-None-Match names one.' },
  413: { name: 'PayloadTooLarge', description: 'The body is too large.' },
  414: { name: 'UriTooLong', description: 'The request target is over 8,192 bytes.' },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not sent as a content type that the operation takes, or with a coding.',
    headers: refusalHeaders('Accept', 'Accept-Patch', 'Accept-Encoding'),
  },
  417: { name: 'ExpectationFailed', description: 'The request expects what the service does not know.' },
  422: { name: 'IdempotencyKeyReused', description: 'The Idempotency-Key was used with another body.' },
  429: {
    name: 'TooManyRequests',
    description: 'The limits of the plan are used up, or the key is banned for a while.',
    headers: refusalHeaders('Retry-After'),
  },
  431: { name: 'HeadersTooLarge', description: 'The head of the request is over 16,384 bytes.' },
  500: { name: 'InternalError', description: 'The service failed; the log has the reason under the request id.' },
  501: { name: 'NotImplemented', description: 'The body has a Transfer-Encoding other than `chunked`.' },
  503: { name: 'ServiceUnavailable', description: 'The service cannot answer at the moment.', headers: refusalHeaders('Retry-After') },
  505: { name: 'HttpVersionNotSupported', description: 'The request is neither HTTP/1.1 nor HTTP/1.0.' },
};

/** The answers to refused requests, with the codes of the service and of its modules. */
export class ErrorResponses {
  readonly schema: SchemaObject;
  private readonly codes: readonly ErrorDefinition[];

  constructor(ofModules: readonly ErrorDefinition[]) {
    const ofService = (Object.keys(errorTable) as ErrorCode[]).map((code) => {
      const status = errorTable[code];
      return { code, status, description: refusals[status].description };
    });
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
      },
    };
  }

  /** The shared answers, by the names that `reference` refers to. */
  shared(): Record<string, ResponseObject> {
    const statuses = Object.keys(refusals).map(Number) as ErrorStatus[];
    return Object.fromEntries(statuses.map((status) => [refusals[status].name, this.response(status)]));
  }

  /** The answer with this status, with further headers where an operation sends some. */
  response(status: ErrorStatus, headers: Headers = {}): ResponseObject {
    const { description, headers: own = {} } = refusals[status];
    const ofStatus = this.codes.filter((code) => code.status === status);
    const examples = Object.fromEntries(ofStatus.map(({ code, description: message }) => [code, { value: { code, message, status } }]));
    return {
      description,
      headers: { ...generalHeaders, ...helpHeader, ...own, ...headers },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples } },
    };
  }

  /** The shared answer with this status. */
  reference(status: ErrorStatus): ReferenceObject {
    return { $ref: `#/components/responses/${refusals[status].name}` };
  }
}
