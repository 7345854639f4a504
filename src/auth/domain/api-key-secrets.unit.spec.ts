import { rotateSecrets } from './api-key-secrets.js';

const FIRST = { hash: 'first', validUntil: null, version: 1 };
const SECOND = { hash: 'second', validUntil: null, version: 2 };
const GRACE_END = '2026-01-02T00:00:00.000Z';

describe('rotating the secrets of a key', () => {
  it('ends the old one at once without grace', () => {
    expect(rotateSecrets([FIRST], { hash: 'second', previousValidUntil: null, version: 2 })).toEqual([SECOND]);
  });

  it('lets the old one live to the end of its grace', () => {
    expect(rotateSecrets([FIRST], { hash: 'second', previousValidUntil: GRACE_END, version: 2 })).toEqual([
      { hash: 'first', validUntil: GRACE_END, version: 2 },
      SECOND,
    ]);
  });

  it('lets at most one old one live: that of the last rotation', () => {
    const afterOne = rotateSecrets([FIRST], { hash: 'second', previousValidUntil: GRACE_END, version: 2 });
    const laterEnd = '2026-01-03T00:00:00.000Z';
    expect(rotateSecrets(afterOne, { hash: 'third', previousValidUntil: laterEnd, version: 3 })).toEqual([
      { hash: 'second', validUntil: laterEnd, version: 3 },
      { hash: 'third', validUntil: null, version: 3 },
    ]);
  });

  it('ends an old one still in its grace when the next rotation gives none', () => {
    const afterOne = rotateSecrets([FIRST], { hash: 'second', previousValidUntil: GRACE_END, version: 2 });
    expect(rotateSecrets(afterOne, { hash: 'third', previousValidUntil: null, version: 3 })).toEqual([
      { hash: 'third', validUntil: null, version: 3 },
    ]);
  });
});
