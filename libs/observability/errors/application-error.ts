import { coreErrors, type ErrorCode, type ErrorDefinition } from './core-errors.js';

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

  /** @param code one of the libraries, or one of `errorCodes` */
  constructor(code: ErrorCode | Pick<ErrorDefinition, 'code' | 'status'>, message: string, options: ApplicationErrorOptions = {}) {
    super(message, { cause: options.cause });
    ({ code: this.code, status: this.status } = typeof code === 'string' ? coreErrors[code] : code);
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
