import type { Answer } from '../../../libs/http/testing/raw-connection.js';
import { errorTable } from '#libs/observability';
import { composition } from '../../../src/bootstrap/composition.js';

// A coding of the body, or a version of HTTP, that the client may not use.
const REFUSED_BY_PROTOCOL: readonly number[] = [errorTable.not_implemented, errorTable.http_version_not_supported];
// Of the error table and of every module.
const STATUSES = new Map<unknown, number>([
  ...Object.entries(errorTable),
  ...composition().errors.map(({ code, status }) => [code, status] as const),
]);
const RATE_LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const GRAPHQL_ERRORS = /^\{"errors":/;
const REFUSALS = ['invalid_parameter', 'invalid_request', 'uri_too_long', 'payload_too_large', 'headers_too_large'];

interface GraphqlError {
  readonly message: unknown;
  readonly extensions: { readonly code: string };
}

/** What has to be true of every answer, whatever was sent. */
export function checkAnswer(answer: Answer, isProtected: boolean): void {
  const { status, headers } = answer;
  if (status === 503) expect(headers['retry-after']).toMatch(/^\d+$/);
  else if (!REFUSED_BY_PROTOCOL.includes(status)) expect(status).toBeLessThan(500);
  expect(headers['x-request-id']).toMatch(/^[\w.-]{1,128}$/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['date']).toMatch(/GMT$/);
  const limits = RATE_LIMIT_HEADERS.map((name) => headers[name] ?? 'missing');
  if (isProtected || limits.some((value) => value !== 'missing')) for (const value of limits) expect(value).toMatch(/^\d+$/);
  if (status >= 400 || GRAPHQL_ERRORS.test(answer.body)) checkErrorBody(answer);
}

/** Throws unless a request with U+0000 or a lone surrogate was refused for what it held. */
export function judgeUnstorable(answer: Answer): void {
  expectRefusal(answer, REFUSALS);
}

/** The same, or that nothing is there for who asked. */
export function judgeUnstorableOrHidden(answer: Answer): void {
  expectRefusal(answer, [...REFUSALS, 'not_found']);
}

/** The same, or that the key is refused: others of the requests end it, ban it, and change its plan and its scopes. */
export function judgeUnstorableOrKeyRefused(answer: Answer): void {
  expectRefusal(answer, [...REFUSALS, 'unauthorized', 'key_banned', 'rate_limited', 'insufficient_scope']);
}

function expectRefusal(answer: Answer, codes: readonly string[]): void {
  const parsed = bodyOf(answer);
  if (parsed === undefined) expect(answer.status).toBeGreaterThanOrEqual(400);
  else for (const code of codesOf(parsed)) expect(codes).toContain(code);
}

/** Undefined for the answer to HEAD, which has none. */
function bodyOf({ headers, body }: Answer): Record<string, unknown> | undefined {
  if (body === '' && Number(headers['content-length']) > 0) return undefined;
  return JSON.parse(Buffer.from(body, 'latin1').toString()) as Record<string, unknown>;
}

/** Of the errors of a document, or of an Error. */
function codesOf({ errors, code }: Record<string, unknown>): unknown[] {
  return code === undefined && Array.isArray(errors) ? (errors as GraphqlError[]).map(({ extensions }) => extensions.code) : [code];
}

/** Exactly an Error, with or without the values that are refused; or, of a document, the errors of GraphQL with a code of ours in each. */
function checkErrorBody(answer: Answer): void {
  const { status, headers } = answer;
  const parsed = bodyOf(answer);
  if (!parsed) return;
  if (!('code' in parsed) && Array.isArray(parsed['errors'])) {
    for (const { message, extensions } of parsed['errors'] as GraphqlError[]) {
      expect({ message, status: STATUSES.get(extensions.code) }).toEqual({
        message: expect.any(String),
        status: expect.any(Number),
      });
      expect(extensions.code).not.toBe('internal_error');
    }
    return;
  }
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const { errors, ...others } = parsed;
  expect(others).toEqual({ code: expect.any(String), message: expect.any(String), status });
  expect(errors === undefined || isListOfFieldErrors(errors)).toBe(true);
  expect(STATUSES.get(parsed['code'])).toBe(status);
  expect(headers['link']).toMatch(new RegExp(`(^|, )</docs/errors#${String(parsed['code'])}>; rel="help"$`));
}

function isListOfFieldErrors(errors: unknown): boolean {
  const isFieldError = (error: unknown) =>
    ['field', 'rule', 'message'].every((name) => typeof Reflect.get(Object(error), name) === 'string');
  return Array.isArray(errors) && errors.length > 0 && errors.every(isFieldError);
}
