import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { createToken, hashToken, parseToken, TOKEN_RANDOM_BYTES } from './api-key-token.js';

const PREFIXES = { development: 'adopt_dev_', staging: 'adopt_stg_', production: 'adopt_live_' } as const;

const extremes = fc.constantFrom(0, 255).map((value) => new Uint8Array(TOKEN_RANDOM_BYTES).fill(value));
const randomBytes = fc.oneof(extremes, fc.uint8Array({ minLength: TOKEN_RANDOM_BYTES, maxLength: TOKEN_RANDOM_BYTES }));
const deployment = fc.constantFrom('development', 'staging', 'production');

describe('the token of an API key', () => {
  it('has the published form with its deployment, which is read back, whatever the random bytes are', () => {
    fc.assert(
      fc.property(deployment, randomBytes, randomBytes, (where, bytes, others) => {
        const token = createToken(where, bytes);
        expect(token).toMatch(new RegExp(`^${PREFIXES[where]}[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$`));
        expect(parseToken(token)).toEqual({ deployment: where });
        expect(hashToken(token)).toBe(createHash('sha256').update(token).digest('hex'));
        expect(createToken(where, others) === token).toBe(Buffer.compare(bytes, others) === 0);
      }),
    );
    expect(() => createToken('development', new Uint8Array(31))).toThrow(RangeError);
  });

  it('is refused when any one character is changed, or another deployment is written into it', () => {
    const character = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });
    fc.assert(
      fc.property(deployment, randomBytes, fc.nat(), character, (where, bytes, place, other) => {
        const text = createToken(where, bytes);
        const index = place % text.length;
        fc.pre(text[index] !== other);
        expect(parseToken(text.slice(0, index) + other + text.slice(index + 1))).toBeUndefined();
        const foreign = where === 'production' ? 'staging' : 'production';
        expect(parseToken(text.replace(PREFIXES[where], PREFIXES[foreign]))).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });
});
