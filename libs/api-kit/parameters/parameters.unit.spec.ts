import type { IncomingMessage } from 'node:http';
import { readQuery } from './read-query.js';
import { readEnum, readInteger } from './read-value.js';
import { singleHeader } from './single-header.js';

function refusal(message: RegExp): Error {
  return expect.objectContaining({ code: 'invalid_parameter', message: expect.stringMatching(message) }) as Error;
}

/** A query as Fastify gives it: an object without a prototype. */
function query(entries: Readonly<Record<string, unknown>>): { query: unknown } {
  return { query: Object.assign(Object.create(null) as object, entries) };
}

function headers(...rawHeaders: string[]): { raw: IncomingMessage } {
  return { raw: { rawHeaders } as unknown as IncomingMessage };
}

describe('readQuery', () => {
  it('gives the parameters that are allowed', () => {
    expect(readQuery(query({ limit: '5' }), ['limit', 'status'])).toEqual({ limit: '5' });
    expect(readQuery({ query: {} }, [])).toEqual({});
  });

  it.each(['limits', 'Limit', '', 'constructor', '__proto__', 'toString'])('refuses the unknown parameter %j by name', (name) => {
    const given = query({});
    Object.defineProperty(given.query, name, { value: '1', enumerable: true });
    expect(() => readQuery(given, ['limit'])).toThrow(refusal(new RegExp(`^"${name}" is not`)));
  });

  it('refuses a repeated parameter by name', () => {
    expect(() => readQuery(query({ limit: ['5', '5'] }), ['limit'])).toThrow(refusal(/limit is repeated/));
  });

  it('does not echo an endless name', () => {
    expect(() => readQuery(query({ ['x'.repeat(5_000)]: '' }), [])).toThrow(refusal(/^.{1,150}$/));
  });
});

describe('readInteger', () => {
  it.each(['1', '20', '100'])('reads %s', (text) => {
    expect(readInteger('limit', text, { minimum: 1, maximum: 100 })).toBe(Number(text));
  });

  it.each(['0', '101', '-1', '+1', '01', '1.0', '1e1', ' 1', '1 ', '', '0x1', '١', '9'.repeat(400)])('refuses %j', (text) => {
    expect(() => readInteger('limit', text, { minimum: 1, maximum: 100 })).toThrow(refusal(/^limit must be an integer from 1 to 100/));
  });
});

describe('readEnum', () => {
  it('takes exactly the words', () => {
    expect(readEnum('status', 'sold', ['pending', 'sold'])).toBe('sold');
    for (const text of ['Sold', '', 'constructor']) {
      expect(() => readEnum('status', text, ['pending', 'sold'])).toThrow(refusal(/^status must be one of pending, sold/));
    }
  });
});

describe('singleHeader', () => {
  it('finds a header in any case', () => {
    expect(singleHeader(headers('Host', 'x', 'IDEMPOTENCY-key', 'a, b'), 'Idempotency-Key')).toBe('a, b');
    expect(singleHeader(headers('Host', 'x'), 'Idempotency-Key')).toBeUndefined();
  });

  it('refuses a repeated header by name, also with equal values', () => {
    expect(() => singleHeader(headers('a', '1', 'A', '1'), 'A')).toThrow(refusal(/header A is repeated/));
  });
});
