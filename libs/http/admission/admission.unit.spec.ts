import type { IncomingMessage } from 'node:http';
import { singleHeader } from './admission.js';

function refusal(message: RegExp): Error {
  return expect.objectContaining({ code: 'invalid_parameter', message: expect.stringMatching(message) }) as Error;
}

function headers(...rawHeaders: string[]): { raw: IncomingMessage } {
  return { raw: { rawHeaders } as unknown as IncomingMessage };
}

describe('singleHeader', () => {
  it('finds a header in any case', () => {
    expect(singleHeader(headers('Host', 'x', 'IDEMPOTENCY-key', 'a, b'), 'Idempotency-Key')).toBe('a, b');
    expect(singleHeader(headers('Host', 'x'), 'Idempotency-Key')).toBeUndefined();
  });

  it('refuses a repeated header by name, also with equal values', () => {
    expect(() => singleHeader(headers('a', '1', 'A', '1'), 'A')).toThrow(refusal(/header A is repeated/));
  });
});
