import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { authorized, BODY_LIMIT, JSON_TYPE, lengthOf, requestOf, type Attack, type HostileRequest } from './hostile-request.js';
import { bytesOf } from './hostile-values.js';

const ANIMAL = '{"name":"Rex","categoryId":7}';
const REFUSED = [400, 413];

const CONTENT_TYPES: readonly (readonly [type: string, status: number])[] = [
  ['application/json; charset=utf-8', 201],
  ['APPLICATION/JSON;CHARSET="UTF-8"', 201],
  ...'application/json; charset=utf-16|application/json; charset=utf-8; charset=utf-16|application/json, text/plain|application/jsonp'
    .split('|')
    .map((type) => [type, 415] as const),
  ...'application/x-www-form-urlencoded|multipart/form-data; boundary=x|;||__proto__'.split('|').map((type) => [type, 415] as const),
];
const CODINGS: readonly (readonly [string, (text: string) => Buffer])[] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['x-unknown', (text) => Buffer.from(text)],
];
/** Bodies that are no JSON, or not in UTF-8. */
const BODIES: readonly Buffer[] = [
  Buffer.from(ANIMAL, 'utf16le'),
  Buffer.from(`\ufeff${ANIMAL}`),
  ...['ff', 'c080', 'eda080', 'e282', 'f4908080', '80'].map((hex) =>
    Buffer.concat([Buffer.from('{"categoryId":1,"name":"a'), Buffer.from(hex, 'hex'), Buffer.from('"}')]),
  ),
  ...['[', '{"a":', '[{"a":', '{"name":'].flatMap((open) => [64, 5_000].map((depth) => Buffer.from(open.repeat(depth)))),
  Buffer.from('['.repeat(20_000) + ']'.repeat(20_000)),
  ...['', ' ', '"Rex"', '7', 'null', `${ANIMAL}x`, `${ANIMAL}${ANIMAL}`, '{"name":"Rex",}', '{"name":"\ud800","categoryId":7}'].map(
    bytesOf,
  ),
];
const CHUNKS = [
  'x\r\n',
  '-1\r\n',
  '0x5\r\n',
  'ffffffffffffffffff\r\n',
  '5\r\n{}\r\n\r\n',
  '2\r\n{}x\r\n',
  '2\r\n{}\n0\r\n\r\n',
  `2;${'e'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  '\r\n',
  '11111\r\n',
  '2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n',
];
const LENGTHS = [
  ['Content-Length: 2', 'Content-Length: 3'],
  ['Content-Length: 2', 'Transfer-Encoding: chunked'],
  ['Transfer-Encoding: gzip, chunked'],
  ['Transfer-Encoding: chunked, identity'],
  ['Transfer-Encoding: \x0bchunked'],
  ['Transfer-Encoding : chunked'],
  ...['+2', '-1', '0x2', '2,2', '99999999999999999999', '2e0', '', String(BODY_LIMIT + 1)].map((length) => [`Content-Length: ${length}`]),
];
const NO_HTTP = [
  '\r\n\r\n\r\n',
  '\0',
  'GET\r\n\r\n',
  'GET /v1/pets HTTP/1.1\nHost: shop\n\n',
  ' GET /v1/pets HTTP/1.1\r\n\r\n',
  'CONNECT shop:1 HTTP/1.1\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00',
  ...['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', ''].map((version) => `GET /v1/pets ${version}\r\nHost: shop\r\n\r\n`),
];
const TARGETS = [
  ...'.. %2e%2e %2f %5c %00 %0d%0a % %zz %ff %c0%ae ;x=1 %1b[31m'.split(' ').map((part) => `/v1/pets/${part}`),
  ...'/V1/Pets //v1/pets /v1//pets /v1/pets/ /v1/constructor /__proto__ /v1/pets? /v1/pets?a=%zz /v1/pets?= /docs/../v1/pets'.split(' '),
  ...'http://shop/v1/pets HTTP://a@b/ ftp://shop/ * ? # shop:80'.split(' '),
  `/v1/pets/${'x'.repeat(2_000)}`,
  `/${'x'.repeat(20_000)}`,
  `/v1/pets?${'a=b&'.repeat(3_000)}`,
];
const METHODS = ['TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH', 'get', 'BREW', ''];
/** Lines of a head, with the name and the value on any side of what may be. */
const LINES = [
  ...'X A: b| X: a|X-A : b|: a|(: a|\xe9: a|X-A|X-A: a\rb|X-A: a\0b|X-A: \x80\xff|X-Request-Id: a\x9b31m|Cookie: %0d%0aX: y'.split('|'),
  ...'Host: other|Expect: 100-continue|Expect: x|Upgrade: websocket|Connection: upgrade|TE: trailers|Range: bytes=0-|Origin: null'.split(
    '|',
  ),
  ...'Accept: \xff|Accept: */*;q=0|X-Forwarded-For: ${jndi:ldap://x}|If-None-Match: "|If-Match: ,|Last-Event-ID: -1'.split('|'),
];
const IDEMPOTENCY_KEYS = ['a', '"a"', 'a"', '""', '\\', 'x'.repeat(256), '__proto__', '\xff', ' '];

/** Heads, framings, targets and credentials that no well-behaved client sends, and bytes that are no HTTP. */
export function rawAttacks(key: string): readonly Attack[] {
  const post = (
    name: string,
    lines: readonly string[],
    body: Buffer | string,
    statuses?: readonly number[],
    isWhole = true,
  ): HostileRequest => {
    const request = requestOf({ name, method: 'POST', headers: [...authorized(key), ...lines], body: Buffer.from(body) });
    return { ...request, isWhole: isWhole && request.isWhole, sent: ANIMAL, ...(statuses && { statuses }) };
  };
  const get = (name: string, headers: readonly string[], target = '/v1/pets', method = 'GET'): HostileRequest => {
    const { target: _, ...request } = requestOf({ name, method, target, headers });
    return { ...request, isWhole: false };
  };
  const raw = (bytes: Buffer | string): HostileRequest => ({
    name: 'bytes that are no HTTP',
    method: '',
    bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes,
    isWhole: false,
  });
  const whole = (body: Buffer | string) => [JSON_TYPE, lengthOf(Buffer.from(body))];
  const table: readonly HostileRequest[] = [
    ...CONTENT_TYPES.map(([type, status]) =>
      post('a content type', [`Content-Type: ${type}`, lengthOf(Buffer.from(ANIMAL))], ANIMAL, [status]),
    ),
    ...CODINGS.map(([coding, encode]) =>
      post('a coding', [...whole(encode(ANIMAL)), `Content-Encoding: ${coding}`], encode(ANIMAL), [415]),
    ),
    ...BODIES.map((body) => post('a body', whole(body), body, [400])),
    ...[-1, 0, 1].map((beyond) => {
      const body = ANIMAL.padEnd(BODY_LIMIT + beyond);
      return post('a body at the limit', whole(body), body, [beyond > 0 ? 413 : 201], beyond <= 0);
    }),
    ...CHUNKS.map((body) => post('broken chunks', [JSON_TYPE, 'Transfer-Encoding: chunked'], body, REFUSED, false)),
    post('chunks', [JSON_TYPE, 'Transfer-Encoding: chunked'], `1;a="b"\r\n{\r\n1c\r\n${ANIMAL.slice(1)}\r\n0\r\nX: y\r\n\r\n`, [201]),
    ...LENGTHS.map((lines) => post('contradictory lengths', [JSON_TYPE, ...lines], '{}', undefined, false)),
    post('a length beyond the body', [JSON_TYPE, 'Content-Length: 99'], ANIMAL, undefined, false),
    ...IDEMPOTENCY_KEYS.map((one) =>
      post('an idempotency key', [...whole(ANIMAL), `Idempotency-Key: ${one}`], ANIMAL, [201, 400, 409, 422], false),
    ),
    post('two idempotency keys', [...whole(ANIMAL), 'Idempotency-Key: a', 'Idempotency-Key: b'], ANIMAL, [400]),
    ...[1, 100, 4_000].flatMap((count) =>
      ['X: y', 'Accept: a', 'Cookie: y'].map((line) => get('a flood of lines', [...authorized(key), ...Array<string>(count).fill(line)])),
    ),
    { ...get('a huge line', [...authorized(key), `X: ${'y'.repeat(16_384)}`]), statuses: [431] },
    ...LINES.map((line) => get('an odd line', [...authorized(key), line])),
    get('no Host', [`Authorization: Bearer ${key}`]),
    ...TARGETS.map((target) => get('a target', authorized(key), target)),
    ...METHODS.map((method) => get('a method', authorized(key), '/v1/pets', method)),
    ...wrongCredentials(key).flatMap((value) =>
      ['/v1/pets/1', '/v1/nothing', '/graphql'].map((target) => ({
        ...get('a credential', ['Host: shop', `Authorization: ${value}`], target),
        statuses: [401],
      })),
    ),
    { ...get('a key in the query', ['Host: shop'], `/v1/pets?key=${key}&limit=${key}`), statuses: [401] },
    ...NO_HTTP.map(raw),
  ];
  return [...table.map((request) => fc.constant(request)), ...randomAttacks(post, get, raw, authorized(key))];
}

function wrongCredentials(key: string): string[] {
  const middle = key.length / 2;
  const changed = `${key.slice(0, middle)}${key[middle] === 'A' ? 'B' : 'A'}${key.slice(middle + 1)}`;
  return [
    '',
    'Bearer',
    `Basic ${key}`,
    ...[`${key}x`, `"${key}"`, `${key},${key}`, changed, '\xff', 'null', 'a'.repeat(5_000)].map((one) => `Bearer ${one}`),
  ];
}

function randomAttacks(
  post: (name: string, lines: readonly string[], body: Buffer, statuses?: readonly number[], isWhole?: boolean) => HostileRequest,
  get: (name: string, headers: readonly string[], target?: string) => HostileRequest,
  raw: (bytes: Buffer) => HostileRequest,
  head: readonly string[],
): Attack[] {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((drawn) => Buffer.from(drawn));
  const adding = post('', [JSON_TYPE, lengthOf(Buffer.from(ANIMAL))], Buffer.from(ANIMAL)).bytes;
  const mutated = fc.tuple(fc.nat({ max: ANIMAL.length - 1 }), fc.nat({ max: 255 })).map(([at, byte]) => {
    const body = Buffer.from(ANIMAL);
    body[at] = byte;
    return { ...post('a body with another byte', [JSON_TYPE, lengthOf(body)], body, [201, 400]), sent: body.toString() };
  });
  const attacks = [
    bytes.map(raw),
    bytes.map((drawn) => post('a body of bytes', [JSON_TYPE, lengthOf(drawn)], drawn, [400])),
    fc.json().map((text) => post('a body of JSON', [JSON_TYPE, lengthOf(Buffer.from(text))], Buffer.from(text), [400])),
    mutated,
    fc.nat({ max: adding.length - 2 }).map((cut) => ({ ...raw(adding.subarray(0, cut + 1)), name: 'a request that is cut off' })),
    bytes.map((drawn) => get('bytes in a target', head, `/v1/pets${drawn.toString('latin1')}`)),
    bytes.map((drawn) => get('bytes in a head', [...head, `X: ${drawn.toString('latin1')}`])),
  ];
  return attacks.flatMap((attack) => Array<Attack>(10).fill(attack));
}
