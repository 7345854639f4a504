import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { createToken, hashToken, parseToken, TOKEN_RANDOM_BYTES } from './api-key-token.js';

const randomBytes = fc.uint8Array({ minLength: TOKEN_RANDOM_BYTES, maxLength: TOKEN_RANDOM_BYTES });
const deployment = fc.constantFrom('development', 'staging', 'production');
const token = fc.tuple(deployment, randomBytes).map(([where, bytes]) => createToken(where, bytes));

describe('the token of an API key', () => {
  it('has the published form whatever the random bytes are', () => {
    fc.assert(
      fc.property(token, (text) => {
        expect(text).toMatch(/^adopt_(?:dev|stg|live)_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
      }),
    );
  });

  it.each([
    ['development', 'adopt_dev_'],
    ['staging', 'adopt_stg_'],
    ['production', 'adopt_live_'],
  ] as const)('names its deployment: %s', (where, prefix) => {
    expect(createToken(where, new Uint8Array(TOKEN_RANDOM_BYTES)).startsWith(prefix)).toBe(true);
  });

  it('is padded on the left for small and fits for the largest random bytes', () => {
    expect(createToken('development', new Uint8Array(TOKEN_RANDOM_BYTES))).toMatch(/^adopt_dev_0{43}_/);
    expect(createToken('development', new Uint8Array(TOKEN_RANDOM_BYTES).fill(255))).toHaveLength('adopt_dev_'.length + 43 + 7);
  });

  it('is another one for other random bytes', () => {
    fc.assert(
      fc.property(randomBytes, randomBytes, (one, other) => {
        fc.pre(Buffer.compare(one, other) !== 0);
        expect(createToken('production', one)).not.toBe(createToken('production', other));
      }),
    );
  });

  it('is made of exactly 32 random bytes', () => {
    expect(() => createToken('development', new Uint8Array(31))).toThrow(RangeError);
  });

  it('is read back with its deployment', () => {
    fc.assert(
      fc.property(deployment, randomBytes, (where, bytes) => {
        expect(parseToken(createToken(where, bytes))).toEqual({ deployment: where });
      }),
    );
  });

  it('is refused when any one character is changed', () => {
    fc.assert(
      fc.property(token, fc.nat(), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), (text, place, character) => {
        const index = place % text.length;
        fc.pre(text[index] !== character);
        expect(parseToken(text.slice(0, index) + character + text.slice(index + 1))).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused with another deployment written into it', () => {
    fc.assert(
      fc.property(randomBytes, (bytes) => {
        expect(parseToken(createToken('staging', bytes).replace('_stg_', '_live_'))).toBeUndefined();
      }),
    );
  });

  it('is refused when something is missing or added', () => {
    const text = createToken('development', new Uint8Array(TOKEN_RANDOM_BYTES).fill(7));
    for (const wrong of ['', text.slice(1), text.slice(0, -1), `${text}0`, ` ${text}`, `${text}\n`]) {
      expect(parseToken(wrong)).toBeUndefined();
    }
  });

  it('is known by its SHA-256 in hex', () => {
    expect(hashToken('adopt')).toBe(createHash('sha256').update('adopt').digest('hex'));
  });
});
