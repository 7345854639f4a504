import { isOwnHost } from './management-server.js';

describe('a host that no web site can have lead here', () => {
  it.each(['localhost', 'LOCALHOST:9464', 'localhost.', 'a.localhost:1', '127.0.0.1:9464', '10.1.2.3', '[::1]:9464', '[2001:db8::1]'])(
    'is %s',
    (host) => expect(isOwnHost(host, '127.0.0.1')).toBe(true),
  );

  it.each([
    ...['evil.example:9464', '127.0.0.1.evil.example', 'localhost.evil.example', 'user@localhost', 'localhost/', '', undefined],
    ...['[evil]', '2130706433'],
  ])('is not %p', (host) => expect(isOwnHost(host, '127.0.0.1')).toBe(false));

  it('is the name that the server is bound to', () => {
    expect(isOwnHost('adoption.internal:9464', 'Adoption.internal')).toBe(true);
    expect(isOwnHost('other.internal', 'adoption.internal')).toBe(false);
  });
});
