import { errorTable, type ErrorCode } from './error-table.js';

/** The body of every error answer: exactly these three fields (interface section 7). */
export interface ErrorBody {
  readonly code: ErrorCode;
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
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ApplicationErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorTable[this.code];
  }

  toBody(): ErrorBody {
    return { code: this.code, message: this.message, status: this.status };
  }
}
