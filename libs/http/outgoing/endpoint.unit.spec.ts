import { assert, bigInt, property } from 'fast-check';
import { isLoopbackAddress, isPublicAddress } from './endpoint.js';
import { OutgoingHttp, type OutgoingHttpOptions } from './outgoing-http.js';
import type { Resolve } from './endpoint.js';

const PUBLIC = '93.184.216.34';
const PUBLIC_IPV6 = '2606:2800:220:1::1';
const NOT_A_PLAIN_URL =
  'must be an absolute https address without user name, fragment, white space and backslashes, such as https://example.com/hooks';
const NAME_NOT_PUBLIC = 'must lead to public addresses only, and a.example does not';

/** Finds these addresses for every name. */
function resolvesTo(...found: readonly string[]): Resolve & { asked: string[] } {
  const asked: string[] = [];
  const resolve: Resolve = async (name) => {
    asked.push(name);
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return Object.assign(resolve, { asked });
}

function problem(url: string, options: Partial<OutgoingHttpOptions> = {}): Promise<string | undefined> {
  const defaults = { allowedPorts: [], allowLoopback: false, resolve: resolvesTo(PUBLIC), timeout: 1_000 };
  return new OutgoingHttp({ ...defaults, ...options }).problemWith(url);
}

describe('the URL of an endpoint', () => {
  it.each<[problem: string | undefined, urls: readonly string[], options?: Partial<OutgoingHttpOptions>]>([
    [undefined, ['https://example.com/hooks?a=b&c=%20d', 'HTTPS://EXAMPLE.COM:443/', 'https://example.com.:8443/', 'https://8.8.8.8/']],
    [undefined, ['https://münchen.example/', 'https://[2606:4700::1111]:8443/', 'https://example.com/a@b:c']],
    [undefined, ['https://a.example:9000'], { allowedPorts: [9000] }],
    ['must begin with https://', ['http://example.com/']],
    [
      NOT_A_PLAIN_URL,
      [
        ...['', '//example.com', 'https:/example.com', 'data:text/plain,a', 'https://', 'https://:443/', 'https://[fe80::1%25eth0]/'],
        ...['ftp://a.example/', 'javascript://a.example/', 'file:///etc/passwd', 'https://a.example/#', 'https://a.example/\u2028'],
        ...[' https://a.example', 'https://a.exam\tple', 'https:\\\\a.example', 'https://a.example\\@b.example', 'https://a.example/\\'],
        ...['https://a@b.example', 'https://@b.example', 'https://8.8.8.8:443@b.example'],
      ],
    ],
    ['must use port 443 or 8443, not 80', ['https://a.example:80/']],
    ['must use port 443 or 8443 or 9000, not 9001', ['https://a.example:9001'], { allowedPorts: [9000] }],
    [
      'has a host that cannot be resolved now (a.example): check its name, or try again later',
      ['https://a.example'],
      { resolve: resolvesTo() },
    ],
    // In development loopback may have any scheme and port, and nothing else may.
    [undefined, ['http://127.0.0.1:3000/', 'http://[::1]/', 'http://127.1:99', 'https://a.localhost.:5'], { allowLoopback: true }],
    [undefined, ['http://a.example:3000'], { allowLoopback: true, resolve: resolvesTo('127.0.0.1', '::1') }],
    ['must begin with https://', ['http://a.example', 'http://8.8.8.8'], { allowLoopback: true }],
    ['must use port 443 or 8443, not 3000', ['https://a.example:3000', 'https://8.8.8.8:3000'], { allowLoopback: true }],
  ])('is judged by "%s": %j', async (expected, urls, options = {}) => {
    for (const url of urls) expect(await problem(url, options)).toBe(expected);
  });

  it.each([
    ...['LOCALHOST.', 'a.localhost', '%6cocalhost', '2130706433', '0x7f.1', '0', '169。254。169。254', '10.0.0.1'],
    ...['[::]', '[::1]', '[::ffff:127.0.0.1]', '[64:ff9b::10.0.0.1]', '[fd00::1]'],
  ])('must not lead to %s, which is not looked up', async (host) => {
    const resolve = resolvesTo(PUBLIC);
    expect(await problem(`https://${host}/`, { resolve })).toMatch(
      /^must (?:not lead to localhost$|lead to a public address, and .* is none$)/,
    );
    expect(resolve.asked).toEqual([]);
  });

  it('must lead to public addresses only, or in development to loopback only', async () => {
    expect(await problem('https://a.example', { resolve: resolvesTo(PUBLIC, PUBLIC_IPV6) })).toBeUndefined();
    for (const found of [['10.0.0.1'], [PUBLIC, '10.0.0.1'], [PUBLIC_IPV6, '::1', PUBLIC], [PUBLIC, 'fe80::1%eth0'], [PUBLIC, '']]) {
      expect(await problem('https://a.example', { resolve: resolvesTo(...found) })).toBe(NAME_NOT_PUBLIC);
    }
    for (const other of [PUBLIC, '10.0.0.1', '::ffff:127.0.0.1']) {
      const mixed = { allowLoopback: true, resolve: resolvesTo('127.0.0.1', other) };
      expect(await problem('http://a.example:3000', mixed)).toBe(NAME_NOT_PUBLIC);
    }
  });

  it('is not public at the first and the last address of each network that is not, nor by another spelling', () => {
    const notPublic = [
      ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.0', '127.255.255.255'],
      // Azure's platform, link-local and private networks, documentation, relays, benchmarks, multicast.
      ...['168.63.129.16', '169.254.0.0', '169.254.255.255', '172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.0'],
      ...['192.0.2.255', '192.88.99.0', '192.88.99.255', '192.168.0.0', '192.168.255.255', '198.18.0.0', '198.19.255.255'],
      ...['198.51.100.0', '198.51.100.255', '203.0.113.0', '203.0.113.255', '224.0.0.0', '255.255.255.255'],
      // Forms that have an address of IPv4 in them, also a public one.
      ...['::', '::ffff:ffff', '::ffff:0:0', '::ffff:8.8.8.8', '0:0:0:0:0:FFFF:0808:0808', '::ffff:0:0:0', '64:ff9b::8.8.8.8'],
      ...['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db8::'],
      ...['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff::'],
      ...['3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', 'fc00::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
      ...['', 'localhost', '8.8.8', '134744072', '08.8.8.8', '8.8.8.8 ', '2606:4700::1%eth0', '[2606:4700::1]'],
    ];
    expect(notPublic.filter(isPublicAddress)).toEqual([]);
  });

  it('is not public outside of 2000::/3, and public beside the networks that are not', () => {
    const groups = (value: bigint) => Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
    assert(
      property(bigInt({ min: 0n, max: (1n << 128n) - 1n }), (value) => value >> 125n === 1n || !isPublicAddress(groups(value).join(':'))),
    );
    const beside = [
      ...['8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '168.63.129.17'],
      ...['169.253.255.255', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
      ...['2001:4860:4860::8888', '2001:200::', '2001:DB7:FFFF::', '2001:db9::', '2003::1', '3ffe:ffff::1'],
    ];
    expect(beside.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  it('is loopback by its plain spellings only', () => {
    const others = ['::ffff:127.0.0.1', '::127.0.0.1', '::', '64:ff9b::127.0.0.1', '::1%lo', '128.0.0.1', '0.0.0.0', ''];
    expect(['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1', ...others].filter(isLoopbackAddress)).toHaveLength(4);
  });
});
