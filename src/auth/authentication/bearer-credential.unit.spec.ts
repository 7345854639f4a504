import { otherKeyHeader, readBearerCredential } from './bearer-credential.js';

describe('reading the bearer token', () => {
  it.each(['Bearer abc', 'bearer abc', 'BEARER  abc'])('takes the scheme in any case: %s', (value) => {
    expect(readBearerCredential(['Host', 'x', 'AUTHORIZATION', value])).toEqual({ token: 'abc' });
  });

  it.each(['', 'Bearer', 'Bearer ', 'Bearerabc', 'Basic abc', 'abc'])('finds no token in "%s"', (value) => {
    expect(readBearerCredential(['authorization', value])).toEqual({ lacks: 'bearer token' });
  });

  it('finds no token without the header, also when another header has that value', () => {
    expect(readBearerCredential([])).toEqual({ lacks: 'header' });
    expect(readBearerCredential(['X-Original', 'authorization', 'Authorizatiom', 'Bearer abc'])).toEqual({ lacks: 'header' });
  });

  it('trusts no token of a repeated header, whichever comes first', () => {
    const repeated = { lacks: 'bearer token' };
    expect(readBearerCredential(['Authorization', 'Bearer a', 'authorization', 'Bearer a'])).toEqual(repeated);
    expect(readBearerCredential(['Authorization', 'Basic a', 'authorization', 'Bearer a'])).toEqual(repeated);
    expect(readBearerCredential(['Authorization', 'Bearer a', 'authorization', 'Basic a'])).toEqual(repeated);
  });
});

describe('a key in another header', () => {
  it('is known by the name of the header alone, in any case', () => {
    expect(otherKeyHeader(['Host', 'x', 'x-api-KEY', 'abc'])).toBe('X-API-Key');
    expect(otherKeyHeader(['API-KEY', 'abc'])).toBe('Api-Key');
    expect(otherKeyHeader(['ApiKey', ''])).toBe('apikey');
    expect(otherKeyHeader(['X-Original', 'apikey'])).toBeUndefined();
  });
});
