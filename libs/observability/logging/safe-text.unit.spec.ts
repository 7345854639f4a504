import fc from 'fast-check';
import { maskPath, maskSecrets, setSecretPattern } from './safe-text.js';

const base62 = fc.constantFrom(...Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'));
const secret = fc.string({ unit: base62, minLength: 43, maxLength: 43 });
const apiKey = fc
  .tuple(fc.constantFrom('dev', 'stg', 'live'), secret, fc.string({ unit: base62, minLength: 6, maxLength: 6 }))
  .map((parts) => `adopt_${parts.join('_')}`);
const surroundings = fc.string({ unit: fc.constantFrom(...Array.from('/.:~ab-_%2')) });

describe('masking', () => {
  beforeAll(() => setSecretPattern(/adopt_[A-Za-z0-9_%-]*/gi));

  it('leaves no run of twenty characters of a key in a path, wherever it stands', () => {
    fc.assert(
      fc.property(surroundings, apiKey, surroundings, (before, key, after) => {
        const masked = maskPath(`/${before}${key}${after}`);
        for (let at = 0; at + 20 <= key.length; at++) expect(masked).not.toContain(key.slice(at, at + 20));
        expect(masked).not.toContain('adopt_');
      }),
    );
  });

  it('leaves no part of a key that differs from a word', () => {
    fc.assert(fc.property(secret, (part) => expect(maskPath(`/v1/pets/${part.slice(0, 20)}`)).toBe('/v1/pets/***')));
  });

  it('leaves a short path as it is, and bounds a long one', () => {
    expect(maskPath('/v1/pets/17.json')).toBe('/v1/pets/17.json');
    expect(maskPath('/a'.repeat(4_000)).length).toBeLessThan(250);
  });

  it('leaves nothing in a path that could begin a line or speak to a terminal', () => {
    expect(maskPath('/a\r\nb\u001b[31m\u009b\u2028\u007f c')).toBe('/a%0d%0ab%1b[31m%c2%9b%e2%80%a8%7f%20c');
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (path) => expect(maskPath(path)).toMatch(/^[\x21-\x7e]*…?$/)));
  });

  it('masks keys in a text', () => {
    fc.assert(fc.property(apiKey, (key) => expect(maskSecrets(`no such key ${key}, said ${key}.`)).toBe('no such key ***, said ***.')));
  });
});
