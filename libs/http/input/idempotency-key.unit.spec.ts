import fc from 'fast-check';
import type { IncomingMessage } from 'node:http';
import { readIdempotencyKey } from './read-request.js';

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 255,
});

function read(value: string): string | undefined {
  return readIdempotencyKey({ raw: { rawHeaders: ['Idempotency-Key', value] } as unknown as IncomingMessage });
}

describe('an idempotency key', () => {
  it('is the same with and without quotes', () => {
    expect(read('"abc"')).toBe('abc');
    expect(read('abc')).toBe('abc');
  });

  it('keeps any printable characters when quoted', () => {
    fc.assert(fc.property(printable, (key) => expect(read(`"${key.replaceAll(/["\\]/g, '\\$&')}"`)).toBe(key)));
  });

  it('keeps any printable characters as they are, unless it begins with a space or a quote', () => {
    const bare = printable.filter((key) => !/^[ "]/.test(key));
    fc.assert(fc.property(bare, (key) => expect(read(key)).toBe(key)));
  });

  it.each([
    ['empty', ''],
    ['empty in quotes', '""'],
    ['256 characters long', 'k'.repeat(256)],
    ['256 characters long in quotes', `"${'k'.repeat(256)}"`],
    ['a quote that is not closed', '"abc'],
    ['a quote within quotes', '"a"c"'],
    ['an escape of another character', '"a\\bc"'],
    ['a parameter after the string', '"abc";a=1'],
    ['not ASCII', 'Ã¤'],
    ['a control character', 'a\tb'],
  ])('must not be %s', (_, value) => {
    expect(() => read(value)).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', message: expect.stringMatching(/^Idempotency-Key must be 1 to 255/) }),
    );
  });
});
