/** Every error code of the service with its HTTP status. REST bodies and GraphQL `extensions.code` use the same names. */
export const errorTable = {
  invalid_request: 400,
  invalid_parameter: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  idempotency_key_in_progress: 409,
  conflict: 409,
  gone: 410,
  log_rewound: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  expectation_failed: 417,
  idempotency_key_reused: 422,
  rate_limited: 429,
  key_banned: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  service_unavailable: 503,
  http_version_not_supported: 505,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorTable;

/** An error code of a module, beside those of the error table. */
export interface ErrorDefinition {
  readonly code: string;
  readonly status: number;
  /** Its meaning in a sentence, for the document. */
  readonly description: string;
  /** What a client does about it, in sentences. Default: by the status. */
  readonly remedy?: string;
}

/** The error codes of a module by their names. */
export type ErrorCodes = Readonly<Record<string, ErrorDefinition>>;

/** Defines the codes of a module, in lower snake case. */
export function errorCodes<Code extends string>(
  definitions: Readonly<Record<Code, Omit<ErrorDefinition, 'code'>>>,
): Readonly<Record<Code, ErrorDefinition>> {
  const entries = Object.entries<Omit<ErrorDefinition, 'code'>>(definitions);
  return Object.fromEntries(entries.map(([code, definition]) => [code, { code, ...definition }])) as Record<Code, ErrorDefinition>;
}

/** The body of every error response: exactly these three fields. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

export interface ApplicationErrorOptions {
  /** Response headers of this error, in lower case, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error for the caller, who sees `message` as it is. */
export class ApplicationError extends Error {
  override readonly name: string = 'ApplicationError';
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** @param code one of the error table, or one of `errorCodes` */
  constructor(code: ErrorCode | Pick<ErrorDefinition, 'code' | 'status'>, message: string, options: ApplicationErrorOptions = {}) {
    super(message, { cause: options.cause });
    ({ code: this.code, status: this.status } = typeof code === 'string' ? { code, status: errorTable[code] } : code);
    this.headers = options.headers ?? {};
  }

  toBody(): ErrorBody {
    return { code: this.code, message: this.message, status: this.status };
  }
}

/** There is none of what an id names. @param noun such as `order` */
export class NotFoundError extends ApplicationError {
  override readonly name: string = 'NotFoundError';

  constructor(noun: string, id: bigint) {
    super('not_found', `There is no ${noun} with the id ${id}.`);
  }
}
