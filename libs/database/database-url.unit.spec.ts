import { describeLocation, parseDatabaseUrl, parsePostgresUrl, serverUrls } from './database-url.js';

describe('the URL of a PostgreSQL database', () => {
  const several = 'postgres://rex:a%2Cb@one:5432,[::1]:5433,three/shop?target_session_attrs=read-write';

  it('may list several servers, as for libpq', () => {
    expect(serverUrls(parsePostgresUrl(several))).toEqual([
      'postgres://rex:a%2Cb@one:5432/shop?target_session_attrs=read-write',
      'postgres://rex:a%2Cb@[::1]:5433/shop?target_session_attrs=read-write',
      'postgres://rex:a%2Cb@three/shop?target_session_attrs=read-write',
    ]);
    expect(serverUrls('postgres://rex@one/shop')).toEqual(['postgres://rex@one/shop']);
  });

  it('is named with all servers and without its password', () => {
    expect(describeLocation(parseDatabaseUrl(several))).toBe('shop at one:5432,[::1]:5433,three');
  });

  it.each(['read-only', 'standby', 'prefer-standby'])('may not ask for %s, which no primary is', (kind) => {
    expect(() => parsePostgresUrl(`postgres://rex:secret@one/shop?target_session_attrs=${kind}`)).toThrow(
      `must not ask for target_session_attrs=${kind}; use one of read-write, primary, any`,
    );
  });

  it.each([
    'postgres://rex:secret@one,/shop',
    'postgres://rex:secret@one,two',
    'postgres://rex:secret@one:x,two/shop',
    'postgres:///shop?host=one,two',
    'redis://one/shop',
  ])('is refused as %s, without its password', (url) => {
    expect(() => parsePostgresUrl(url)).toThrow(/^must be postgres:\/\/USER(?!.*secret)/);
  });
});
