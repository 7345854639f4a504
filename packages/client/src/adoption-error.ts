import type { ErrorCode } from './document.js';

/** A value of a request that the service refused. */
export interface FieldError {
  /** The name of the member, parameter or header, such as `categoryId` or `limits.perDay`. */
  readonly field: string;
  /** A word for programs, such as `required`, `unknown` or `int64`. */
  readonly rule: string;
  readonly message: string;
}

/** What the client itself finds wrong. */
export type ClientErrorCode = 'network_error' | 'not_genuine' | 'redirect_refused' | 'timeout' | 'unreadable_answer';

interface AdoptionErrorDetails {
  readonly status: number;
  /** Those of the service, of this client, of a proxy in front, or `http_` and the status where the answer has none. */
  readonly code: ErrorCode | ClientErrorCode | (string & Record<never, never>);
  readonly message: string;
  readonly errors?: readonly FieldError[];
  readonly headers?: Headers;
  readonly cause?: unknown;
}

/** A call that did not succeed, and that trying again would not help, or not in time. */
export class AdoptionError extends Error {
  override readonly name = 'AdoptionError';
  /** The HTTP status, 0 without a response. */
  readonly status: number;
  readonly code: AdoptionErrorDetails['code'];
  /** Each value that the service refused; empty if no single value was. */
  readonly errors: readonly FieldError[];
  /** Finds the request in the log of the service. */
  readonly requestId: string | undefined;
  /** When the limit of the key resets, in unix seconds. */
  readonly reset: number | undefined;
  /** How long to wait before trying again, in seconds. */
  readonly retryAfter: number | undefined;

  constructor({ status, code, message, errors = [], headers, cause }: AdoptionErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.requestId = headers?.get('X-Request-Id') ?? undefined;
    this.reset = wholeNumber(headers?.get('X-RateLimit-Reset'));
    this.retryAfter = secondsUntil(headers?.get('Retry-After'));
  }
}

/** The error of an answer that is none of success. */
export async function errorOf(response: Response): Promise<AdoptionError> {
  const { status, headers } = response;
  // An unreadable body still has the information of its status.
  const text = await response.text().catch(() => '');
  const { code, message, errors } = membersOf(text);
  return new AdoptionError({
    status,
    headers,
    code: typeof code === 'string' ? code : `http_${status}`,
    message: typeof message === 'string' ? message : `The service responded with status ${status}.`,
    errors: Array.isArray(errors) ? errors.filter(isFieldError) : [],
  });
}

/** The error of a request without an answer, or of one that was cut off. */
export function networkError(cause: unknown): AdoptionError {
  return new AdoptionError({
    status: 0,
    code: 'network_error',
    message: 'The service could not be reached, or the connection was lost.',
    cause,
  });
}

/** The error of an attempt that took too long. @param timeout milliseconds */
export function timeoutError(timeout: number): AdoptionError {
  return new AdoptionError({ status: 0, code: 'timeout', message: `The response was not complete within ${timeout} ms.` });
}

/** The error of a stream that is taken for lost. @param silence milliseconds */
export function silenceError(silence: number): AdoptionError {
  return new AdoptionError({ status: 0, code: 'timeout', message: `The stream was silent for ${silence} ms.` });
}

function isFieldError(error: unknown): error is FieldError {
  const { field, rule, message } = Object(error) as Readonly<Record<string, unknown>>;
  return [field, rule, message].every((member) => typeof member === 'string');
}

function membersOf(text: string): { readonly code?: unknown; readonly message?: unknown; readonly errors?: unknown } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

export function wholeNumber(text: string | null | undefined): number | undefined {
  return text && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** RFC 9110 section 10.2.3: seconds, or a date. */
function secondsUntil(text: string | null | undefined): number | undefined {
  if (!text?.endsWith(' GMT')) return wholeNumber(text);
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, (time - Date.now()) / 1_000);
}
