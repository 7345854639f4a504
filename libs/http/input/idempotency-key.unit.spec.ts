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
  it('keeps any printable characters, quoted or bare, unless it begins with a space or a quote', () => {
    fc.assert(fc.property(printable, (key) => expect(read(`"${key.replaceAll(/["\\]/g, '\\$&')}"`)).toBe(key)));
    const bare = printable.filter((key) => !/^[ "]/.test(key));
    fc.assert(fc.property(bare, (key) => expect(read(key)).toBe(key)));
  });

  it.each([...['', '""', 'k'.repeat(256), `"${'k'.repeat(256)}"`, '"abc', '"a"c"', '"a\\bc"', '"abc";a=1', 'Ã¤', 'a\tb']])(
    'must not be %j',
    (value) => {
      expect(() => read(value)).toThrow(expect.objectContaining({ code: 'invalid_parameter' }));
    },
  );
});
