import { wholeNumber, type AdoptionError } from './adoption-error.js';

/** A request as hooks see it: without the API key. */
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
  /** Copies, without `Authorization`. */
  readonly headers: Headers;
  /** Which attempt it is, from 1. */
  readonly attempt: number;
}

/** The limit of the API key, as one response told it. */
export interface RateLimit {
  /** How many requests the window allows. */
  readonly limit: number;
  /** How many of them are left. */
  readonly remaining: number;
  /** When the window ends, in unix seconds. */
  readonly reset: number;
}

export interface ResponseInfo extends Omit<RequestInfo, 'headers'> {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined if the response does not tell it. */
  readonly rateLimit: RateLimit | undefined;
}

export interface RetryInfo extends Omit<RequestInfo, 'headers'> {
  /** Milliseconds until the next attempt. */
  readonly delay: number;
  /** Why this attempt failed. */
  readonly reason: AdoptionError;
}

/** Called along the way of each request. What they throw is thrown by the call. */
export interface Hooks {
  /** Called before each attempt. */
  readonly onRequest?: ((request: RequestInfo) => void) | undefined;
  /** Called with the status and the headers of each response, also of one that refuses. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
  /** Called before the wait for another attempt. */
  readonly onRetry?: ((retry: RetryInfo) => void) | undefined;
}

export function rateLimitIn(headers: Headers): RateLimit | undefined {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) => wholeNumber(headers.get(`X-RateLimit-${name}`)));
  return limit === undefined || remaining === undefined || reset === undefined ? undefined : { limit, remaining, reset };
}
