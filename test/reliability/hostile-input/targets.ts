import fc from 'fast-check';
import type { Answer } from '../../../libs/http/testing/raw-connection.js';
import { authorized, type RequestParts } from './hostile-request.js';

const PLAIN_LIMIT = /^(?:[1-9]\d?|100)$/;
const STATUSES = ['available', 'pending', 'sold'];

const segments = fc.oneof(
  fc.constantFrom('v1', 'pets', 'graphql', 'docs', 'graphiql', 'openapi.json', 'health', '1', 'V1', 'Pets', 'constructor', '__proto__'),
  fc.constantFrom(
    '..',
    '.',
    '',
    '%2e%2e',
    '%2E',
    '%2f',
    '%5c',
    '\\',
    '%00',
    '%0d%0a',
    '%',
    '%zz',
    '%ff',
    '%c0%ae',
    '%u002e',
    '%25%32%65',
    ';x=1',
    ':',
    '~',
    '@',
    '%1b[31m',
    'x'.repeat(2_000),
  ),
  fc.constantFrom(
    '0',
    '-1',
    '01',
    '1e3',
    '-0',
    '1.0',
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775808',
    '99999999999999999999',
    'NaN',
    '%31',
  ),
  fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(text)),
);
const prefixes = fc.constantFrom(
  '/',
  '/',
  '/',
  '/v1/',
  '/v1/',
  '/v1/pets/',
  '/docs/',
  '//',
  '/v1//',
  'http://shop/',
  'https://shop:1/',
  'HTTP://a@b/',
  'http://',
  'ftp://shop/',
  '',
  '*',
  '?',
  '#',
  'shop:80',
);
const suffixes = fc.constantFrom('', '', '', '/', '//', '?', '?x', '?limit=1', '#', '#x', '?#', ';', '%3f', '?a=%zz');
const methods = fc.constantFrom(
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'QUERY',
  'LINK',
  'M-SEARCH',
  'get',
  'BREW',
  '',
);

/** Paths and targets of every form and mistake. */
function targetRequests(key: string): fc.Arbitrary<RequestParts> {
  return fc.tuple(methods, prefixes, fc.array(segments, { maxLength: 4 }), suffixes).map(([method, prefix, parts, suffix]) => {
    const target = `${prefix}${parts.join('/')}${suffix}`;
    return {
      kind: 'path trick',
      method,
      target,
      headers: authorized(key),
      framing: 'unknown',
      isProtected: ['GET', 'HEAD', 'POST'].includes(method) && /^\/v1\/[\w%-]*$/.test(target),
    };
  });
}

/** Bytes that no target has. */
function byteTargets(key: string): fc.Arbitrary<RequestParts> {
  return fc.array(fc.nat({ max: 255 }), { minLength: 1, maxLength: 30 }).map((codes) => ({
    kind: 'bytes as a target',
    target: `/v1/pets${String.fromCharCode(...codes)}`,
    headers: authorized(key),
    framing: 'unknown',
    isProtected: false,
  }));
}

const parameters = fc.array(
  fc.tuple(
    fc.constantFrom('limit', 'limit', 'status', 'status', 'cursor', 'Limit', '__proto__', 'constructor', 'limit[]', 'x'),
    fc.oneof(
      fc.constantFrom(
        '1',
        '100',
        '20',
        '0',
        '101',
        '-1',
        '01',
        '1e1',
        '1.0',
        ' 1',
        '',
        '9223372036854775808',
        'available',
        'sold',
        'pending',
        'Sold',
        'null',
        '\0',
        '\ud83d\ude00',
        '[]',
      ),
      fc.string({ maxLength: 20 }),
      fc.string({ maxLength: 20 }).map((text) => Buffer.from(text).toString('base64url')),
    ),
  ),
  { maxLength: 4 },
);

/** Lists by their parameters, judged by the rules of the interface. */
function listRequests(key: string): fc.Arbitrary<RequestParts> {
  return parameters.map((given) => ({
    kind: 'query parameters',
    target: `/v1/pets?${given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`,
    headers: authorized(key),
    judge: (answer: Answer) => judgeList(given, answer),
  }));
}

function judgeList(given: readonly (readonly [string, string])[], { status, body }: Answer): void {
  const faults = given.filter(([name, value], index) => given.findIndex(([other]) => other === name) !== index || isWrong(name, value));
  const hasCursor = given.some(([name]) => name === 'cursor');
  if (faults.length === 0 && hasCursor) expect([200, 400]).toContain(status);
  else expect(status).toBe(faults.length === 0 ? 200 : 400);
  if (status === 400) {
    const { code, message } = JSON.parse(body) as { code: string; message: string };
    expect(code).toBe('invalid_parameter');
    expect(given.some(([name]) => message.includes(name))).toBe(true);
    return;
  }
  const asked = Object.fromEntries(given);
  const pets = JSON.parse(body) as { status?: string }[];
  expect(pets.length).toBeLessThanOrEqual(Number(asked['limit'] ?? 20));
  if (asked['status'] !== undefined) expect(pets.filter((pet) => pet.status !== asked['status'])).toEqual([]);
}

function isWrong(name: string, value: string): boolean {
  if (name === 'limit') return !PLAIN_LIMIT.test(value);
  if (name === 'status') return !STATUSES.includes(value);
  return name !== 'cursor';
}

/** Single animals by identifiers on every edge. */
function singleReads(key: string): fc.Arbitrary<RequestParts> {
  const ids = fc.oneof(
    fc.integer({ min: 1, max: 50 }).map(String),
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
    fc.constantFrom('0', '-0', '01', '1e3', '%31', '+1', '1.', '9'.repeat(500)),
  );
  return ids.map((id) => ({
    kind: 'identifier',
    target: `/v1/pets/${id}`,
    headers: authorized(key),
    judge: ({ status, body }: Answer) => {
      expect([200, 400, 404]).toContain(status);
      if (status === 200) expect(body).toContain(`"id":${decodeURIComponent(id)},`);
    },
  }));
}

/** Request targets, query parameters and identifiers. */
export function readRequests(key: string): fc.Arbitrary<RequestParts> {
  return fc.oneof(
    { weight: 4, arbitrary: targetRequests(key) },
    { weight: 1, arbitrary: byteTargets(key) },
    { weight: 4, arbitrary: listRequests(key) },
    { weight: 2, arbitrary: singleReads(key) },
  );
}
