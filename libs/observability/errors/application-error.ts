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
  /** What a client does about it, in sentences that no other code has. */
  readonly remedy: string;
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

/** A value of a request that is refused. */
export interface FieldError {
  /** The name of the member, parameter, argument or header; a value within it has its place, such as `limits.perDay` or `filter.ids[2]`. */
  readonly field: string;
  /** A word for programs, such as `required` or `int64`. */
  readonly rule: string;
  /** What would be right, for people. */
  readonly message: string;
}

/** The body of every error response. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  /** Each value that is refused; absent if no single value is. */
  readonly errors?: readonly FieldError[];
}

export interface ApplicationErrorOptions {
  readonly errors?: readonly FieldError[];
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
  readonly errors: readonly FieldError[];

  /** @param code one of the error table, or one of `errorCodes` */
  constructor(code: ErrorCode | Pick<ErrorDefinition, 'code' | 'status'>, message: string, options: ApplicationErrorOptions = {}) {
    super(message, { cause: options.cause });
    ({ code: this.code, status: this.status } = typeof code === 'string' ? { code, status: errorTable[code] } : code);
    this.headers = options.headers ?? {};
    this.errors = options.errors ?? [];
  }

  toBody(): ErrorBody {
    const body = { code: this.code, message: this.message, status: this.status };
    return this.errors.length === 0 ? body : { ...body, errors: this.errors };
  }
}

/** The most refused values that an error names. */
export const MAX_FIELD_ERRORS = 100;

/** Values of a request are refused. The message has the messages of the first 100, and the number of the others. */
export class InvalidValuesError extends ApplicationError {
  override readonly name: string = 'InvalidValuesError';

  /** @param code `invalid_request` for members of a body, `invalid_parameter` for all other values */
  constructor(
    code: 'invalid_request' | 'invalid_parameter',
    errors: readonly FieldError[],
    options: Omit<ApplicationErrorOptions, 'errors'> = {},
  ) {
    const named = errors.slice(0, MAX_FIELD_ERRORS);
    const others = errors.length - named.length;
    const reasons = [...named.map(({ message }) => message), ...(others === 0 ? [] : [`and ${others} more`])];
    super(code, toSentence(reasons.join('; ')), { ...options, errors: named });
  }
}

function toSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** Returns the error of one member of a body. */
export function invalidMember(field: string, rule: string, message: string): InvalidValuesError {
  return new InvalidValuesError('invalid_request', [{ field, rule, message }]);
}

/** Returns the error of one value that is not in the body. */
export function invalidParameter(field: string, rule: string, message: string, options?: { readonly cause: unknown }): InvalidValuesError {
  return new InvalidValuesError('invalid_parameter', [{ field, rule, message }], options);
}

/** There is none of what an id names. @param noun such as `order` */
export class NotFoundError extends ApplicationError {
  override readonly name: string = 'NotFoundError';

  constructor(noun: string, id: bigint) {
    super('not_found', `There is no ${noun} with the id ${id}.`);
  }
}
