import type { ErrorDefinition } from './error-codes.js';
import { errorTable, type ErrorCode } from './error-table.js';

/** The body of every error answer: exactly these three fields (interface section 7). */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

export interface ApplicationErrorOptions {
  /** Response headers that belong to this error, in lower case, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error a caller may be told about. `message` is shown to the caller as it is. */
export class ApplicationError extends Error {
  override readonly name: string = 'ApplicationError';
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** @param code one of the error table, or one that a module has named by `errorCodes` */
  constructor(code: ErrorCode | Pick<ErrorDefinition, 'code' | 'status'>, message: string, options: ApplicationErrorOptions = {}) {
    super(message, { cause: options.cause });
    ({ code: this.code, status: this.status } = typeof code === 'string' ? { code, status: errorTable[code] } : code);
    this.headers = options.headers ?? {};
  }

  toBody(): ErrorBody {
    return { code: this.code, message: this.message, status: this.status };
  }
}
