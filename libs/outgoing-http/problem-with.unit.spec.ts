import type { LookupAddress } from 'node:dns';
import { assert, asyncProperty, constantFrom, integer, tuple } from 'fast-check';
import { OutgoingHttp, type OutgoingHttpOptions, type Resolve } from './index.js';

const PUBLIC = '93.184.216.34';
const PUBLIC_IPV6 = '2606:2800:220:1::1';

/** Finds these addresses for every name; an Error is what the look-up ends with. */
function resolvesTo(...found: (string | Error)[]): Resolve & { asked: string[] } {
  const asked: string[] = [];
  const resolve: Resolve = async (name) => {
    asked.push(name);
    const error = found.find((one) => one instanceof Error);
    if (error) throw error;
    const addresses = found.filter((one) => typeof one === 'string');
    return addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return Object.assign(resolve, { asked });
}

function failing(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function problem(url: string, options: Partial<OutgoingHttpOptions> = {}): Promise<string | undefined> {
  return new OutgoingHttp({ allowedPorts: [], allowLoopback: false, resolve: resolvesTo(PUBLIC), ...options }).problemWith(url);
}

const development = { allowLoopback: true };

describe('a URL', () => {
  it.each([
    'https://example.com',
    'https://example.com/hooks?a=b&c=%20d',
    'HTTPS://EXAMPLE.COM:443/',
    'https://example.com.:8443/',
    'https://münchen.example/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/',
    'https://example.com/a@b:c',
  ])('may be %s', async (url) => expect(await problem(url)).toBeUndefined());

  it.each(['', 'example.com', '//example.com', '/hooks', 'https:example.com', 'https:/example.com', 'data:text/plain,a', 'http:'])(
    'has to be absolute, which "%s" is not',
    async (url) => expect(await problem(url)).toBe('must be an absolute https address, such as https://example.com/hooks'),
  );

  it.each([
    'https://',
    'https:///example.com',
    'https://?a',
    'https://:443/',
    'https://a:b/',
    'https://1.2.3.256/',
    'https://[fe80::1%25eth0]/',
    'https://[::1/',
    'https://a%00b/',
  ])('has to be valid and have a host, which %s has not', async (url) =>
    expect(await problem(url)).toBe('must be a valid address with a host, such as https://example.com/hooks'),
  );

  it.each(['http://example.com/', 'ftp://example.com/', 'javascript://example.com/', 'wss://example.com/', 'file:///etc/passwd'])(
    'has to begin with https, which %s does not',
    async (url) => expect(await problem(url)).toBe('must begin with https://'),
  );

  it.each([
    ' https://a.example',
    'https://a.example ',
    'https://a.exam\tple',
    'https://a.example/\n',
    'https://a.example/a b',
    'https://a.example\u0000',
    'https:\\\\a.example',
    'https://a.example\\@b.example',
    'https://a.example/\u2028',
    'https://a.example/\u0085',
  ])('is refused rather than changed: %j', async (url) =>
    expect(await problem(url)).toBe('must not contain white space, control characters or backslashes'),
  );

  it.each(['https://a.example/#b', 'https://a.example#'])('has no fragment, as %s has', async (url) =>
    expect(await problem(url)).toBe('must not have a fragment, that is, no #'),
  );

  it.each([
    'https://user@a.example/',
    'https://user:secret@a.example/',
    'https://@a.example/',
    'https://:@a.example/',
    'https://a.example@10.0.0.1/',
  ])('has no credentials, as %s has', async (url) => expect(await problem(url)).toBe('must not contain a user name or a password'));

  it('has a port that is allowed', async () => {
    const allowedPorts = [4_430, 9_000];
    expect(await problem('https://a.example:444')).toBe('must use port 443 or 8443, not 444');
    expect(await problem('https://a.example:80', { allowedPorts })).toBe('must use port 443 or 8443 or 4430 or 9000, not 80');
    expect(await problem('https://8.8.8.8:0')).toBe('must use port 443 or 8443, not 0');
    for (const port of ['443', '8443', '4430', '9000']) {
      expect(await problem(`https://a.example:${port}`, { allowedPorts })).toBeUndefined();
    }
  });
});

describe('the host of a URL', () => {
  it.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.localhost.', '%6cocalhost', 'ｌocalhost'])(
    'is not %s, and that is not looked up',
    async (host) => {
      const resolve = resolvesTo(PUBLIC);
      expect(await problem(`https://${host}/`, { resolve })).toBe('must not lead to localhost');
      expect(resolve.asked).toEqual([]);
    },
  );

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['017700000001', '127.0.0.1'],
    ['0177.0.0.01', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['192.168.257', '192.168.1.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['169。254。169。254', '169.254.169.254'],
    ['[::1]', '::1'],
    ['[::]', '::'],
    ['[::ffff:8.8.8.8]', '::ffff:808:808'],
    ['[0:0:0:0:0:FFFF:A9FE:A9FE]', '::ffff:a9fe:a9fe'],
    ['[64:ff9b::10.0.0.1]', '64:ff9b::a00:1'],
    ['[fd00:ec2::254]', 'fd00:ec2::254'],
    ['[2002:7f00:1::]', '2002:7f00:1::'],
  ])('may not be %s, and that is not looked up', async (host, address) => {
    const resolve = resolvesTo(PUBLIC);
    expect(await problem(`https://${host}/`, { resolve })).toBe(`must lead to a public address, and ${address} is none`);
    expect(resolve.asked).toEqual([]);
  });

  it('may not be a private address in whichever notation of IPv4', async () => {
    const octet = integer({ min: 0, max: 255 });
    const notation = constantFrom(10, 16, 8);
    const written = (value: number, base: number) => (({ 16: '0x', 8: '0' })[base] ?? '') + value.toString(base);
    await assert(
      asyncProperty(tuple(octet, octet, octet), tuple(notation, notation, notation, notation), async ([b, c, d], bases) => {
        const texts = [10, b, c, d].map((value, index) => written(value, bases[index] ?? 10));
        const whole = written(((10 * 256 + b) * 256 + c) * 256 + d, bases[0]);
        for (const host of [texts.join('.'), whole, `${texts[0] ?? ''}.${written((b * 256 + c) * 256 + d, bases[1])}`]) {
          expect(await problem(`https://${host}/`)).toBe(`must lead to a public address, and ${[10, b, c, d].join('.')} is none`);
        }
      }),
    );
  });

  it('leads to public addresses alone', async () => {
    const refused = 'must lead to public addresses only, and a.example does not';
    expect(await problem('https://a.example', { resolve: resolvesTo(PUBLIC, PUBLIC_IPV6) })).toBeUndefined();
    for (const found of [['10.0.0.1'], [PUBLIC, '10.0.0.1'], [PUBLIC_IPV6, '::1', PUBLIC], [PUBLIC, 'fe80::1%eth0'], [PUBLIC, '']]) {
      expect(await problem('https://a.example', { resolve: resolvesTo(...found) })).toBe(refused);
    }
  });

  it('has an address', async () => {
    for (const resolve of [
      resolvesTo(),
      resolvesTo(failing('ENOTFOUND')),
      resolvesTo(failing('ENODATA')),
      resolvesTo(failing('EBADNAME')),
    ]) {
      expect(await problem('https://a.example', { resolve })).toBe('must have a host with an address, and a.example has none');
    }
  });

  it.each(['ETIMEOUT', 'ECANCELLED', 'ESERVFAIL', 'ECONNREFUSED', 'EMFILE'])(
    'is refused for now where its look-up fails with %s',
    async (code) =>
      expect(await problem('https://a.example', { resolve: resolvesTo(failing(code)) })).toBe(
        'has a host that cannot be resolved now (a.example): try again later',
      ),
  );
});

describe('in development, a URL', () => {
  it.each([
    'http://127.0.0.1:3000/',
    'https://127.9.9.9:1/',
    'http://[::1]/',
    'http://127.1:99',
    'http://localhost:3000',
    'https://a.localhost.:5',
  ])('may be of loopback: %s', async (url) => expect(await problem(url, development)).toBeUndefined());

  it('may have a name that leads to loopback alone', async () => {
    const resolve = resolvesTo('127.0.0.1', '::1');
    expect(await problem('http://a.example:3000', { ...development, resolve })).toBeUndefined();
    for (const other of [PUBLIC, '10.0.0.1', '::ffff:127.0.0.1']) {
      expect(await problem('http://a.example:3000', { ...development, resolve: resolvesTo('127.0.0.1', other) })).toBe(
        'must lead to public addresses only, and a.example does not',
      );
    }
  });

  it.each(['[::ffff:127.0.0.1]', '[::127.0.0.1]', '[64:ff9b::127.0.0.1]', '0.0.0.0', '[::]', '10.0.0.1'])(
    'may not be of %s',
    async (host) => expect(await problem(`http://${host}:3000`, development)).toMatch(/^must lead to a public address, and .* is none$/),
  );

  it('keeps the rules of scheme and port elsewhere', async () => {
    for (const host of ['a.example', '8.8.8.8']) {
      expect(await problem(`http://${host}`, development)).toBe('must begin with https://');
      expect(await problem(`https://${host}:3000`, development)).toBe('must use port 443 or 8443, not 3000');
      expect(await problem(`https://${host}`, development)).toBeUndefined();
    }
    expect(await problem('ftp://localhost', development)).toBe('must begin with https://');
  });
});
