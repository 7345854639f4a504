import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Answer } from '../../../libs/http/testing/raw-connection.js';
import { judgeOutcome, validBody } from './bodies.js';
import { authorized, JSON_TYPE, measureLength, type RequestParts } from './hostile-request.js';

const HEAD_LIMIT = 16_384;

const status =
  (...expected: readonly number[]) =>
  (answer: Answer) =>
    expect(expected).toContain(answer.status);

/** How a body may say what it is, and whether that is JSON in UTF-8 as it stands. */
const contentTypes = fc.constantFrom<readonly [string, boolean]>(
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['APPLICATION/JSON;CHARSET="UTF-8"', true],
  ['application/json; charset=utf-16', false],
  ['application/json; charset=iso-8859-1', false],
  ['application/json; charset=utf-8; charset=utf-16', false],
  ['application/json; charset=utf-7', false],
  ['application/json, text/plain', false],
  ['application/jsonp', false],
  ['text/json', false],
  ['application/x-www-form-urlencoded', false],
  ['multipart/form-data; boundary=x', false],
  [';', false],
  ['', false],
  ['__proto__', false],
);

const codings: readonly (readonly [string, (text: string) => Buffer])[] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['gzip, identity', gzipSync],
  ['x-unknown', (text) => Buffer.from(text)],
];

const known = [
  'Host',
  'Content-Type',
  'Authorization',
  'Content-Length',
  'Idempotency-Key',
  'X-Request-Id',
  'Accept',
  'Expect',
  'Connection',
  'If-None-Match',
  'Origin',
  'X-Forwarded-For',
  'Transfer-Encoding',
  'Upgrade',
  'Cookie',
  'Range',
  'TE',
  'Trailer',
];
const values = fc.oneof(
  fc.constantFrom(
    '',
    '*',
    'a, b',
    '"',
    '0',
    '-1',
    'chunked',
    '100-continue',
    'close',
    'keep-alive',
    'upgrade',
    'websocket',
    'h2c',
    'application/json',
    '\x80\xff',
    '../../etc/passwd',
    '${jndi:ldap://x}',
    "' OR 1=1 --",
    '%0d%0aX: y',
    'x'.repeat(300),
  ),
  fc
    .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff })), { maxLength: 30 })
    .map((codes) => String.fromCharCode(...codes)),
);
const anyBytes = fc.array(fc.nat({ max: 255 }), { maxLength: 40 }).map((codes) => String.fromCharCode(...codes));

/** Heads: media types, codings, floods, repeated and broken lines, credentials. */
export function headRequests(key: string): fc.Arbitrary<RequestParts> {
  return fc.oneof(
    { weight: 2, arbitrary: representations(key) },
    { weight: 1, arbitrary: floods(key) },
    { weight: 3, arbitrary: knownHeaders(key) },
    { weight: 2, arbitrary: brokenLines(key) },
    { weight: 2, arbitrary: credentials(key) },
    { weight: 2, arbitrary: idempotencyKeys(key) },
  );
}

function representations(key: string): fc.Arbitrary<RequestParts> {
  const post = (kind: string, headers: readonly string[], body: Buffer | string, judge: RequestParts['judge']): RequestParts => ({
    kind,
    method: 'POST',
    headers: [...authorized(key), ...headers, measureLength(body)],
    body,
    ...(judge && { judge }),
  });
  return fc.oneof(
    fc
      .tuple(contentTypes, validBody)
      .map(([[type, isJson], { text, outcome }]) =>
        post('content type', [`Content-Type: ${type}`], text, isJson ? judgeOutcome(outcome) : status(415)),
      ),
    fc
      .tuple(fc.constantFrom(...codings), validBody)
      .map(([[coding, encode], { text }]) =>
        post('compressed body', [JSON_TYPE, `Content-Encoding: ${coding}`], encode(text), status(415)),
      ),
    fc
      .constantFrom('text/html', 'application/xml;q=1', 'application/json;q=0', '*/*;q=0', 'application/*, */*;q=0', ',', '\xff')
      .map((accept) => ({
        kind: 'accept',
        headers: [...authorized(key), `Accept: ${accept}`],
        judge: status(200, 406),
      })),
  );
}

function floods(key: string): fc.Arbitrary<RequestParts> {
  return fc
    .tuple(
      fc.integer({ min: 1, max: 4_000 }),
      fc.constantFrom('X', 'Cookie', 'Accept', 'X-Request-Id', 'Via'),
      fc.constantFrom('', 'y', 'y'.repeat(400)),
    )
    .map(([count, name, value]) => {
      const headers = [...authorized(key), ...Array<string>(count).fill(`${name}: ${value}`)];
      const size = headers.reduce((sum, line) => sum + line.length + 2, 'GET /v1/pets HTTP/1.1\r\n\r\n'.length);
      const isOver = size > HEAD_LIMIT;
      return { kind: 'header flood', headers, framing: isOver ? 'unknown' : 'whole', judge: isOver ? status(431) : status(200, 400, 406) };
    });
}

function knownHeaders(key: string): fc.Arbitrary<RequestParts> {
  return fc
    .tuple(fc.constantFrom('GET', 'POST'), fc.array(fc.tuple(fc.constantFrom(...known), values), { minLength: 1, maxLength: 5 }))
    .map(([method, lines]) => ({
      kind: 'repeated and odd headers',
      method,
      headers: [...authorized(key), ...lines.map(([name, value]) => `${name}: ${value}`)],
      framing: 'unknown',
      isProtected: false,
    }));
}

function brokenLines(key: string): fc.Arbitrary<RequestParts> {
  return fc
    .tuple(
      fc.constantFrom('Host: shop\r\n', ''),
      fc.constantFrom('X-A', 'X A', ' X', 'X-A ', '', '(', '\xe9'),
      fc.constantFrom(':', '', ' :', '::'),
      anyBytes,
    )
    .map(([host, name, colon, value]) => ({
      kind: 'broken header line',
      headers: [`${host}Authorization: Bearer ${key}`, `${name}${colon}${value}`],
      framing: 'unknown',
      isProtected: false,
    }));
}

function credentials(key: string): fc.Arbitrary<RequestParts> {
  const wrong = fc.oneof(
    fc.constantFrom(
      '',
      'Bearer',
      'Bearer ',
      `Basic ${key}`,
      `Bearer ${key}x`,
      `Bearer "${key}"`,
      `Bearer ${key},${key}`,
      `Bearer ${key.toUpperCase()}`,
      'Bearer null',
      `Bearer ${'a'.repeat(5_000)}`,
    ),
    fc.nat({ max: key.length - 1 }).map((at) => `Bearer ${key.slice(0, at)}${key[at] === 'A' ? 'B' : 'A'}${key.slice(at + 1)}`),
    values.map((value) => `Bearer ${value}`),
  );
  return fc.tuple(wrong, fc.constantFrom('/v1/pets', '/v1/pets/1', '/v1/nothing', '/graphql')).map(([value, target]) => ({
    kind: 'credential',
    target,
    headers: ['Host: shop', `Authorization: ${value}`],
    judge: status(401),
  }));
}

function idempotencyKeys(key: string): fc.Arbitrary<RequestParts> {
  const given = fc.oneof(
    fc.constantFrom('a', '"a"', 'a"', '"', '""', '\\', 'x'.repeat(255), 'x'.repeat(256), '__proto__', 'constructor', '\xff', ' '),
    fc.string({ maxLength: 5 }),
  );
  return fc.tuple(fc.array(given, { minLength: 1, maxLength: 2 }), validBody).map(([keys, { text }]) => ({
    kind: 'idempotency key',
    method: 'POST',
    headers: [...authorized(key), JSON_TYPE, measureLength(text), ...keys.map((one) => `Idempotency-Key: ${one}`)],
    body: text,
    judge: status(...(keys.length > 1 ? [400] : [201, 400, 409, 422])),
  }));
}
