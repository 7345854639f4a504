import { assert, asyncProperty, bigInt, constantFrom, integer, property, tuple } from 'fast-check';
import { isLoopbackAddress, isPublicAddress } from './endpoint.js';
import { OutgoingHttp, type OutgoingHttpOptions } from './outgoing-http.js';
import type { Resolve } from './endpoint.js';

const PUBLIC = '93.184.216.34';
const PUBLIC_IPV6 = '2606:2800:220:1::1';
const NAME_NOT_PUBLIC = 'must lead to public addresses only, and a.example does not';

/** Finds these addresses for every name, or fails with the error. */
function resolvesTo(...found: (string | Error)[]): Resolve & { asked: string[] } {
  const asked: string[] = [];
  const resolve: Resolve = async (name) => {
    asked.push(name);
    const error = found.find((one) => one instanceof Error);
    if (error) throw error;
    return found.filter((one) => typeof one === 'string').map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return Object.assign(resolve, { asked });
}

function failing(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function problem(url: string, options: Partial<OutgoingHttpOptions> = {}): Promise<string | undefined> {
  const defaults = { allowedPorts: [], allowLoopback: false, resolve: resolvesTo(PUBLIC), timeout: 1_000 };
  return new OutgoingHttp({ ...defaults, ...options }).problemWith(url);
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

  it.each([
    [
      'must be an absolute https address, such as https://example.com/hooks',
      ['', 'example.com', '//example.com', '/hooks', 'https:example.com', 'https:/example.com', 'data:text/plain,a', 'http:'],
    ],
    [
      'must be a valid address with a host, such as https://example.com/hooks',
      [
        'https://',
        'https:///example.com',
        'https://?a',
        'https://:443/',
        'https://a:b/',
        'https://1.2.3.256/',
        'https://[fe80::1%25eth0]/',
      ],
    ],
    ['must begin with https://', ['http://example.com/', 'ftp://a.example/', 'javascript://a.example/', 'file:///etc/passwd']],
    [
      'must not contain white space, control characters or backslashes',
      [' https://a.example', 'https://a.exam\tple', 'https://a.example/\n', 'https://a.example\u0000', 'https:\\\\a.example'],
    ],
    [
      'must not contain white space, control characters or backslashes',
      ['https://a.example\\@b.example', 'https://a.example/\u2028', 'https://a.example/\u0085'],
    ],
    ['must not have a fragment, that is, no #', ['https://a.example/#', 'https://a.example#b']],
    [
      'must not contain a user name or a password',
      ['https://a@b.example', 'https://a:b@c.example', 'https://@b.example', 'https://8.8.8.8:443@b.example'],
    ],
    ['must use port 443 or 8443, not 80', ['https://a.example:80/']],
  ])('%s', async (message, urls) => {
    for (const url of urls) expect(await problem(url)).toBe(message);
  });

  it('may have the ports that the operator allows', async () => {
    expect(await problem('https://a.example:9000', { allowedPorts: [9000] })).toBeUndefined();
    expect(await problem('https://a.example:9001', { allowedPorts: [9000] })).toBe('must use port 443 or 8443 or 9000, not 9001');
  });

  it.each(['localhost', 'LOCALHOST.', 'a.localhost', 'a.b.localhost.', '%6cocalhost', 'ｌocalhost'])(
    'must not lead to %s, which is not looked up',
    async (host) => {
      const resolve = resolvesTo(PUBLIC);
      expect(await problem(`https://${host}/`, { resolve })).toBe('must not lead to localhost');
      expect(resolve.asked).toEqual([]);
    },
  );

  it.each([
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['017700000001', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['127.0.0.1.', '127.0.0.1'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['169。254。169。254', '169.254.169.254'],
    ['[::]', '::'],
    ['[0:0:0:0:0:FFFF:A9FE:A9FE]', '::ffff:a9fe:a9fe'],
    ['[64:ff9b::10.0.0.1]', '64:ff9b::a00:1'],
  ])('must not have the address %s, which is not looked up', async (host, address) => {
    const resolve = resolvesTo(PUBLIC);
    expect(await problem(`https://${host}/`, { resolve })).toBe(`must lead to a public address, and ${address} is none`);
    expect(resolve.asked).toEqual([]);
  });

  it('must not have a private address in any notation of IPv4', async () => {
    const octet = integer({ min: 0, max: 255 });
    const notation = constantFrom(10, 16, 8);
    const write = (value: number, base: number) => (({ 16: '0x', 8: '0' })[base] ?? '') + value.toString(base);
    await assert(
      asyncProperty(tuple(octet, octet, octet), tuple(notation, notation, notation, notation), async ([b, c, d], bases) => {
        const texts = [10, b, c, d].map((value, index) => write(value, bases[index] ?? 10));
        const whole = write(((10 * 256 + b) * 256 + c) * 256 + d, bases[0]);
        for (const host of [texts.join('.'), whole, `${texts[0] ?? ''}.${write((b * 256 + c) * 256 + d, bases[1])}`]) {
          expect(await problem(`https://${host}/`)).toBe(`must lead to a public address, and ${[10, b, c, d].join('.')} is none`);
        }
      }),
    );
  });

  it('must lead to public addresses only', async () => {
    expect(await problem('https://a.example', { resolve: resolvesTo(PUBLIC, PUBLIC_IPV6) })).toBeUndefined();
    for (const found of [['10.0.0.1'], [PUBLIC, '10.0.0.1'], [PUBLIC_IPV6, '::1', PUBLIC], [PUBLIC, 'fe80::1%eth0'], [PUBLIC, '']]) {
      expect(await problem('https://a.example', { resolve: resolvesTo(...found) })).toBe(NAME_NOT_PUBLIC);
    }
  });

  it('must have an address', async () => {
    const none = 'must have a host with an address, and a.example has none';
    const unknown = 'has a host that cannot be resolved now (a.example): try again later';
    expect(await problem('https://a.example', { resolve: resolvesTo() })).toBe(none);
    for (const [codes, message] of [
      [['ENOTFOUND', 'ENODATA', 'EBADNAME'], none],
      [['ETIMEOUT', 'ECANCELLED', 'ESERVFAIL', 'ECONNREFUSED', 'EMFILE'], unknown],
    ] as const) {
      for (const code of codes) expect(await problem('https://a.example', { resolve: resolvesTo(failing(code)) })).toBe(message);
    }
  });
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

  it('may have a name that leads to loopback only', async () => {
    const resolve = resolvesTo('127.0.0.1', '::1');
    expect(await problem('http://a.example:3000', { ...development, resolve })).toBeUndefined();
    for (const other of [PUBLIC, '10.0.0.1', '::ffff:127.0.0.1']) {
      const mixed = { ...development, resolve: resolvesTo('127.0.0.1', other) };
      expect(await problem('http://a.example:3000', mixed)).toBe(NAME_NOT_PUBLIC);
    }
  });

  it('keeps the rules of scheme and port elsewhere', async () => {
    for (const host of ['a.example', '8.8.8.8']) {
      expect(await problem(`http://${host}`, development)).toBe('must begin with https://');
      expect(await problem(`https://${host}:3000`, development)).toBe('must use port 443 or 8443, not 3000');
      expect(await problem(`https://${host}`, development)).toBeUndefined();
    }
  });
});

describe('addresses', () => {
  /** The first and the last address of each network. */
  it.each([
    ['this network', '0.0.0.0', '0.255.255.255'],
    ['private', '10.0.0.0', '10.255.255.255'],
    ['shared by a provider’s customers', '100.64.0.0', '100.127.255.255'],
    ['loopback', '127.0.0.0', '127.255.255.255'],
    ['Azure’s platform', '168.63.129.16', '168.63.129.16'],
    ['link-local', '169.254.0.0', '169.254.255.255'],
    ['private', '172.16.0.0', '172.31.255.255'],
    ['protocol assignments', '192.0.0.0', '192.0.0.255'],
    ['documentation', '192.0.2.0', '192.0.2.255'],
    ['6to4 relays', '192.88.99.0', '192.88.99.255'],
    ['private', '192.168.0.0', '192.168.255.255'],
    ['benchmarks', '198.18.0.0', '198.19.255.255'],
    ['documentation', '198.51.100.0', '198.51.100.255'],
    ['documentation', '203.0.113.0', '203.0.113.255'],
    ['multicast', '224.0.0.0', '239.255.255.255'],
    ['reserved, broadcast', '240.0.0.0', '255.255.255.255'],
    ['unspecified, loopback, IPv4-compatible', '::', '::ffff:ffff'],
    ['IPv4-mapped', '::ffff:0:0', '::ffff:ffff:ffff'],
    ['IPv4-mapped, of a public address', '::ffff:8.8.8.8', '0:0:0:0:0:FFFF:0808:0808'],
    ['IPv4-translated', '::ffff:0:0:0', '::ffff:0:ffff:ffff'],
    ['NAT64', '64:ff9b::', '64:ff9b::ffff:ffff'],
    ['NAT64, of a public address', '64:ff9b::8.8.8.8', '64:FF9B::808:808'],
    ['local NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['discarded', '100::', '100::ffff:ffff:ffff:ffff'],
    ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['protocol assignments', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['no address', '', 'localhost'],
    ['no spelling of a socket', '8.8.8', '134744072'],
    ['no spelling of a socket', '08.8.8.8', '8.8.8.8 '],
    ['with a zone or brackets', '2606:4700::1%eth0', '[2606:4700::1]'],
  ])('that are %s are not public: %s to %s', (_what, first, last) => {
    expect([first, last].filter(isPublicAddress)).toEqual([]);
  });

  it('of IPv6 outside of 2000::/3 are not public', () => {
    const groups = (value: bigint) => Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
    assert(
      property(bigInt({ min: 0n, max: (1n << 128n) - 1n }), (value) => value >> 125n === 1n || !isPublicAddress(groups(value).join(':'))),
    );
  });

  it.each([
    ['8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '168.63.129.17'],
    ['169.253.255.255', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
    [
      '2001:4860:4860::8888',
      '2606:4700:4700:0000:0000:0000:0000:1111',
      '2001:200::',
      '2001:DB7:FFFF::',
      '2001:db9::',
      '2003::1',
      '3ffe:ffff::1',
    ],
  ])('beside them are public: %s', (...addresses) => {
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  it('are loopback', () => {
    const others = [
      '::ffff:127.0.0.1',
      '::127.0.0.1',
      '::',
      '::2',
      '64:ff9b::127.0.0.1',
      '::1%lo',
      '126.0.0.1',
      '128.0.0.1',
      '0.0.0.0',
      '',
    ];
    expect(['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1', ...others].filter(isLoopbackAddress)).toHaveLength(4);
  });
});
