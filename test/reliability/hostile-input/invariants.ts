import { parse, stringify } from 'lossless-json';
import type { Answer } from '../../../libs/http/testing/raw-connection.js';
import { composition } from '../../../src/bootstrap/composition.js';
import { expectDocumented, fitsSchema } from '../../e2e/openapi-contract.fixture.js';
import type { HostileRequest } from './hostile-request.js';

const STATUSES = new Map<unknown, number>(composition().errors.map(({ code, status }) => [code, status] as const));

interface GraphqlError {
  readonly message: unknown;
  readonly extensions: { readonly code: string };
}

/** What has to be true of every answer, whatever was sent. `secrets` may stand in none of them. */
export function checkAnswer(request: HostileRequest, answer: Answer, secrets: readonly string[]): void {
  const { status, headers } = answer;
  if (status === 503) expect(headers['retry-after']).toMatch(/^\d+$/);
  else expect(status).toBeLessThan(500);
  expect(headers['x-request-id']).toMatch(/^[\w.-]{1,128}$/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  const text = Buffer.from(answer.body, 'latin1').toString();
  expect(secrets.filter((secret) => `${JSON.stringify(headers)}${text}`.includes(secret))).toEqual([]);
  if (request.target !== undefined) expectDocumented(request.method, request.target, { status, headers, text });
  const isError = status >= 400 || text.startsWith('{"errors":');
  if (isError && text !== '') checkErrors(JSON.parse(text) as Record<string, unknown>, answer);
  // What is shed is not judged.
  if (status === 503) return;
  if (request.statuses) expect(request.statuses).toContain(status);
  if (request.isToBeRefused) expect(isError).toBe(true);
  if (status === 201 && request.sent !== undefined) expectSame(request.sent, text);
}

/** Exactly an Error, or, of a GraphQL document, errors with a code of ours in each. */
function checkErrors(parsed: Record<string, unknown>, { status, headers }: Answer): void {
  const { code, errors } = parsed;
  if (code === undefined && Array.isArray(errors)) {
    for (const { message, extensions } of errors as GraphqlError[]) {
      expect({ message, status: STATUSES.get(extensions.code) }).toEqual({ message: expect.any(String), status: expect.any(Number) });
      expect(extensions.code).not.toBe('internal_error');
    }
    return;
  }
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(fitsSchema('Error', parsed)).toBe(true);
  expect([parsed['status'], STATUSES.get(code)]).toEqual([status, status]);
  expect(headers['link']).toMatch(new RegExp(`(^|, )</docs/errors#${String(code)}>; rel="help"$`));
}

/** What was added has the texts and the numbers that were sent, to the last digit. */
function expectSame(sent: string, text: string): void {
  const [given, told] = [sent, text].map((one) => parse(one) as Readonly<Record<string, unknown>>);
  for (const name of ['name', 'categoryId', 'status', 'petId', 'note', 'owner', 'description']) {
    if (given?.[name] !== undefined && told?.[name] !== undefined) expect(stringify(told[name])).toBe(stringify(given[name]));
  }
}
