import { readBearerCredential } from './bearer-credential.js';

describe('reading the bearer token', () => {
  it.each(['Bearer abc', 'bearer abc', 'BEARER  abc'])('takes the scheme in any case: %s', (value) => {
    expect(readBearerCredential(['Host', 'x', 'AUTHORIZATION', value])).toEqual({ token: 'abc', tokenSent: true });
  });

  it.each(['', 'Bearer', 'Bearer ', 'Bearerabc', 'Basic abc', 'abc'])('finds no token in "%s"', (value) => {
    expect(readBearerCredential(['authorization', value])).toEqual({ token: undefined, tokenSent: false });
  });

  it('finds no token without the header, also when another header has that value', () => {
    expect(readBearerCredential([])).toEqual({ token: undefined, tokenSent: false });
    expect(readBearerCredential(['X-Original', 'authorization', 'Authorizatiom', 'Bearer abc'])).toEqual({
      token: undefined,
      tokenSent: false,
    });
  });

  it('trusts no token of a repeated header, whichever comes first', () => {
    const repeated = { token: undefined, tokenSent: true };
    expect(readBearerCredential(['Authorization', 'Bearer a', 'authorization', 'Bearer a'])).toEqual(repeated);
    expect(readBearerCredential(['Authorization', 'Basic a', 'authorization', 'Bearer a'])).toEqual(repeated);
  });
});
