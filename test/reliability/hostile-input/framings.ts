import fc from 'fast-check';
import type { Answer } from '../../../libs/http/testing/raw-connection.js';
import { judgeOutcome, validBody } from './bodies.js';
import { authorized, JSON_TYPE, measureLength, requestBytes, type RequestParts } from './hostile-request.js';

const refused = ({ status }: Answer): void => expect([400, 413]).toContain(status);

/** Cuts bytes into chunks of these sizes, and what is left into one more. */
function chunked(body: Buffer, sizes: readonly number[], extension: string, trailer: string): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const size of [...sizes, body.length]) {
    const part = body.subarray(at, at + size);
    if (part.length > 0) parts.push(Buffer.from(`${part.length.toString(16)}${extension}\r\n`), part, Buffer.from('\r\n'));
    at += size;
  }
  return Buffer.concat([...parts, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

/** Bodies in chunks, right ones and broken ones; lengths that are not true; heads that never end; bytes that are no HTTP. */
export function framingRequests(key: string): fc.Arbitrary<RequestParts> {
  const post = (kind: string, lines: readonly string[], body: Buffer | string, rest: Partial<RequestParts>): RequestParts => ({
    kind,
    method: 'POST',
    headers: [...authorized(key), JSON_TYPE, ...lines],
    body,
    ...rest,
  });
  return fc.oneof(
    fc
      .tuple(
        validBody,
        fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 6 }),
        fc.constantFrom('', ';a', ';a="b"'),
        fc.constantFrom('', 'X-A: b\r\n', 'Authorization: x\r\n'),
      )
      .map(([{ text, outcome }, sizes, extension, trailer]) =>
        post('chunks', ['Transfer-Encoding: chunked'], chunked(Buffer.from(text), sizes, extension, trailer), {
          judge: judgeOutcome(outcome),
        }),
      ),
    fc
      .constantFrom(
        'x\r\n',
        '-1\r\n',
        '0x5\r\n',
        'ffffffffffffffffff\r\n',
        '5\r\n{}\r\n\r\n',
        '2\r\n{}x\r\n',
        '2\r\n{}\n0\r\n\r\n',
        `2;${'e'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
        '\r\n',
        '5 \r\n',
        '11111\r\n',
        '2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n',
      )
      .map((body) => post('broken chunks', ['Transfer-Encoding: chunked'], body, { framing: 'unknown', judge: refused })),
    fc
      .constantFrom(
        ['Content-Length: 2', 'Content-Length: 3'],
        ['Content-Length: 2', 'Transfer-Encoding: chunked'],
        ['Transfer-Encoding: gzip, chunked'],
        ['Transfer-Encoding: chunked, identity'],
        ['Transfer-Encoding: identity'],
        ['Transfer-Encoding: \x0bchunked'],
        ['Transfer-Encoding : chunked'],
        ['Content-Length: +2'],
        ['Content-Length: -1'],
        ['Content-Length: 0x2'],
        ['Content-Length: 2,2'],
        ['Content-Length: 99999999999999999999'],
        ['Content-Length: 2e0'],
        ['Content-Length:'],
      )
      .map((lines) => post('contradictory lengths', lines, '{}', { framing: 'unknown', isProtected: false })),
    validBody.map(({ text }) =>
      post('length beyond the body', [`Content-Length: ${Buffer.byteLength(text) + 1}`], text, { framing: 'unfinished' }),
    ),
    fc.tuple(validBody, fc.nat()).map(([{ text }, cut]): RequestParts => {
      const whole = requestBytes(post('', [measureLength(text)], text, {}));
      return {
        kind: 'cut off',
        framing: 'unfinished',
        headers: [],
        body: whole.subarray(0, 1 + (cut % (whole.length - 1))),
        isProtected: false,
        method: '',
      };
    }),
    fc
      .constantFrom('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'http/1.1', 'HTTP/1.1 ', 'HTTP', '')
      .map((version) => raw('version', `GET /v1/pets ${version}\r\nHost: shop\r\n\r\n`)),
    fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => raw('no HTTP', Buffer.from(bytes))),
    fc
      .constantFrom(
        '\r\n\r\n\r\n',
        '\n',
        '\0',
        'GET\r\n\r\n',
        'GET /v1/pets HTTP/1.1\nHost: shop\n\n',
        ' GET /v1/pets HTTP/1.1\r\n\r\n',
        'CONNECT shop:1 HTTP/1.1\r\n\r\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        '\x16\x03\x01\x02\x00\x01\x00',
      )
      .map((text) => raw('no HTTP', text)),
  );
}

/** Bytes without a head of our own. */
function raw(kind: string, bytes: Buffer | string): RequestParts {
  return { kind, method: '', headers: [], body: bytes, framing: 'unknown', isProtected: false };
}
