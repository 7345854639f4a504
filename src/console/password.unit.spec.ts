import { Password } from './password.js';

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

describe('the password of the console', () => {
  const password = new Password('open: sésame');

  it.each([basic('anna:open: sésame'), basic(':open: sésame'), basic('x:open: sésame').replace('Basic', 'bASIC ')])(
    'is in %p',
    (header) => {
      expect(password.allows(header)).toBe(true);
    },
  );

  it.each([
    undefined,
    '',
    'Basic',
    'Basic !',
    basic(''),
    basic('open: sésame'.replace(':', '')),
    basic('anna:'),
    basic('anna:open: sésam'),
    basic('anna:open: sésame '),
    basic('open: sésame').replace('Basic', 'Bearer'),
    'open: sésame',
  ])('is not in %p', (header) => {
    expect(password.allows(header)).toBe(false);
  });

  it('is needed by nobody where there is none', () => {
    expect(new Password(undefined).allows(undefined)).toBe(true);
  });
});
