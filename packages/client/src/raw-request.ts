import type { CallOptions } from './conditions.js';
import { writeJson } from './integers.js';
import type { Answer, Query, Requests } from './requests.js';

export interface RawRequestOptions extends CallOptions {
  /** Omits members that are undefined. */
  readonly query?: Query | undefined;
  /** Is sent as JSON, each `bigint` in it as bare digits. */
  readonly body?: unknown;
  /** Beside those that every request has. `Authorization` is always that of the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Read as JSON, with exact int64. A text if it is no JSON, undefined if there is none. */
  readonly body: unknown;
}

/** RFC 9110 section 9.2.2: what does no more when it is done twice. */
const IDEMPOTENT = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];
const PATH = /^\/[^?#]*$/;
const NONE: ReadonlySet<string> = new Set();

/** @throws TypeError for a path, a header or a body that cannot be sent */
export async function sendRaw<Id>(
  requests: Requests<Id>,
  method: string,
  path: string,
  { query, body, headers = {}, signal }: RawRequestOptions,
): Promise<RawResponse> {
  if (!PATH.test(path)) throw new TypeError('path must begin with a slash, such as /v1/pets, and has no query: use the option query.');
  for (const [name, value] of Object.entries<unknown>(headers)) {
    if (typeof value !== 'string') throw new TypeError(`The header ${name} must be a string; it is ${String(value)}.`);
  }
  const verb = method.toUpperCase();
  const isRepeatable = IDEMPOTENT.includes(verb) || new Headers(headers).has('Idempotency-Key');
  const answer: Answer<unknown> = await requests.send(
    { method: verb, path, query: query ?? {}, headers, signal, isRepeatable, json: body === undefined ? undefined : writeJson(body, NONE) },
    (text, response) => (isJson(response) && text !== '' ? requests.parse(text, response) : text || undefined),
  );
  return { status: answer.status, headers: answer.headers, body: answer.body };
}

function isJson({ headers }: Response): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get('Content-Type') ?? '');
}
