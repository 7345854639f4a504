import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { authorized, BODY_LIMIT, JSON_TYPE, lengthOf, requestOf, type Attack, type HostileRequest } from './hostile-request.js';
import { bytesOf } from './hostile-values.js';

const ANIMAL = '{"name":"Rex","categoryId":7}';

/** Bodies that are no JSON, or not in UTF-8. */
const BODIES: readonly Buffer[] = [
  Buffer.from(ANIMAL, 'utf16le'),
  gzipSync(ANIMAL),
  ...['ff', 'c080', 'eda080', 'e282', 'f4908080', '80'].map((hex) =>
    Buffer.concat([Buffer.from('{"categoryId":1,"name":"a'), Buffer.from(hex, 'hex'), Buffer.from('"}')]),
  ),
  ...['['.repeat(5_000), '{"a":'.repeat(5_000), '['.repeat(20_000) + ']'.repeat(20_000), '', ' ', '"Rex"', 'null', `${ANIMAL}x`].map(
    bytesOf,
  ),
  ...[`\ufeff${ANIMAL}`, `${ANIMAL}${ANIMAL}`, '{"name":"Rex",}', '{"name":"\ud800","categoryId":7}'].map(bytesOf),
];
const CHUNKS = [
  ...['x\r\n', '-1\r\n', '0x5\r\n', 'ffffffffffffffffff\r\n', '5\r\n{}\r\n\r\n', '2\r\n{}x\r\n', '2\r\n{}\n0\r\n\r\n', '\r\n', '11111\r\n'],
  `2;${'e'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  '2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n',
];
const LENGTHS = [
  ...['Content-Length: 2\r\nContent-Length: 3', 'Content-Length: 2\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked'],
  ...['Transfer-Encoding: chunked, identity', 'Transfer-Encoding: \x0bchunked', 'Transfer-Encoding : chunked', 'Content-Length: 99'],
  ...['+2', '-1', '0x2', '2,2', '99999999999999999999', '2e0', '', String(BODY_LIMIT + 1)].map((length) => `Content-Length: ${length}`),
];
const NO_HTTP = [
  ...['\r\n\r\n\r\n', '\0', 'GET\r\n\r\n', 'GET /v1/pets HTTP/1.1\nHost: shop\n\n', ' GET /v1/pets HTTP/1.1\r\n\r\n'],
  ...['CONNECT shop:1 HTTP/1.1\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00'],
  ...['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', ''].map((version) => `GET /v1/pets ${version}\r\nHost: shop\r\n\r\n`),
  ...['TRACE', 'QUERY', 'get', 'BREW', ''].map((method) => `${method} /v1/pets HTTP/1.1\r\nHost: shop\r\n\r\n`),
];
const TARGETS = [
  ...'.. %2e%2e %2f %5c %00 %0d%0a % %zz %ff %c0%ae ;x=1 %1b[31m'.split(' ').map((part) => `/v1/pets/${part}`),
  ...'/V1/Pets //v1/pets /v1//pets /v1/pets/ /v1/constructor /__proto__ /v1/pets? /v1/pets?a=%zz /v1/pets?= /docs/../v1/pets'.split(' '),
  ...'http://shop/v1/pets HTTP://a@b/ ftp://shop/ * ? # shop:80'.split(' '),
  ...[`/v1/pets/${'x'.repeat(2_000)}`, `/${'x'.repeat(20_000)}`, `/v1/pets?${'a=b&'.repeat(3_000)}`],
];
/** Lines of a head, with the name and the value on any side of what may be. */
const LINES = [
  ...'X A: b| X: a|X-A : b|: a|(: a|\xe9: a|X-A|X-A: a\rb|X-A: a\0b|X-A: \x80\xff|X-Request-Id: a\x9b31m|Cookie: %0d%0aX: y'.split('|'),
  ...'Host: other|Expect: 100-continue|Expect: x|Upgrade: websocket|Connection: upgrade|Range: bytes=0-|Origin: null'.split('|'),
  ...'Accept: \xff|Accept: */*;q=0|X-Forwarded-For: ${jndi:ldap://x}|If-None-Match: "|If-Match: ,|Last-Event-ID: -1'.split('|'),
  ...['Idempotency-Key: \\', `X: ${'y'.repeat(16_384)}`, Array(4_000).fill('Cookie: y').join('\r\n')],
];

/** Heads, framings, targets and credentials that no well-behaved client sends, and bytes that are no HTTP. */
export function rawAttacks(key: string): readonly Attack[] {
  const head = authorized(key);
  const post = (name: string, lines: readonly string[], body: Buffer, statuses?: readonly number[]): HostileRequest => {
    const request = requestOf({ name, method: 'POST', headers: [...head, JSON_TYPE, ...lines], body });
    return { ...request, sent: body.toString(), ...(statuses && { statuses }) };
  };
  const framed = (name: string, line: string, body: string) => ({ ...post(name, [line], Buffer.from(body)), isWhole: false });
  const get = (name: string, headers: readonly string[], target = '/v1/pets'): HostileRequest => {
    const { target: _, ...request } = requestOf({ name, target, headers });
    return { ...request, isWhole: false };
  };
  const raw = (bytes: Buffer): HostileRequest => ({ name: 'bytes that are no HTTP', method: '', bytes, isWhole: false });
  const table: readonly HostileRequest[] = [
    ...BODIES.map((body) => post('a body', [lengthOf(body)], body, [400])),
    ...CHUNKS.map((body) => ({ ...framed('broken chunks', 'Transfer-Encoding: chunked', body), statuses: [400, 413] })),
    ...LENGTHS.map((line) => framed('a wrong length', line, '{}')),
    ...LINES.map((line) => get('an odd line', [...head, line])),
    ...TARGETS.map((target) => get('a target', head, target)),
    ...[`Basic ${key}`, 'Bearer', `Bearer ${key}x`, `Bearer "${key}"`, 'Bearer \xff', `Bearer ${'a'.repeat(5_000)}`].map((value) => ({
      ...get('a credential', ['Host: shop', `Authorization: ${value}`]),
      statuses: [401],
    })),
    { ...get('a key in the query', ['Host: shop'], `/v1/pets?key=${key}&limit=${key}`), statuses: [401] },
    ...NO_HTTP.map((bytes) => raw(Buffer.from(bytes, 'latin1'))),
  ];
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((drawn) => Buffer.from(drawn));
  const adding = post('', [lengthOf(Buffer.from(ANIMAL))], Buffer.from(ANIMAL)).bytes;
  const random = [
    bytes.map(raw),
    bytes.map((drawn) => post('a body of bytes', [lengthOf(drawn)], drawn, [400])),
    fc.json().map((text) => post('a body of JSON', [lengthOf(Buffer.from(text))], Buffer.from(text), [400])),
    fc.tuple(fc.nat({ max: ANIMAL.length - 1 }), fc.nat({ max: 255 })).map(([at, byte]) => {
      const body = Buffer.from(ANIMAL);
      body[at] = byte;
      return post('a body with another byte', [lengthOf(body)], body, [201, 400]);
    }),
    fc.nat({ max: adding.length - 2 }).map((cut) => raw(adding.subarray(0, cut + 1))),
    bytes.map((drawn) => get('bytes in a target', head, `/v1/pets${drawn.toString('latin1')}`)),
    bytes.map((drawn) => get('bytes in a head', [...head, `X: ${drawn.toString('latin1')}`])),
  ];
  return [...table.map((request) => fc.constant(request)), ...random.flatMap((attack) => Array<Attack>(10).fill(attack))];
}
