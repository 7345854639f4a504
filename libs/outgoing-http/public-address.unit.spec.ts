import { assert, integer, property, tuple, constantFrom, bigInt } from 'fast-check';
import { isLoopbackAddress, isPublicAddress } from './public-address.js';

const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Each by its bits from the left, and their number. */
const REFUSED_IPV6: readonly (readonly [string, bigint, number])[] = [
  ['unspecified, loopback, compatible, mapped, translated and discarded', 0n, 8],
  ['mapped', 0xffffn, 96],
  ['translated', 0xffff_0000n, 96],
  ['NAT64', 0x64ff9bn << 64n, 96],
  ['local NAT64', 0x64ff9b0001n, 48],
  ['discarded', 0x0100n << 48n, 64],
  ['Teredo', 0x20010000n, 32],
  ['assignments of protocols', 0x200100n >> 1n, 23],
  ['documentation', 0x20010db8n, 32],
  ['6to4', 0x2002n, 16],
  ['more documentation', 0x3fff0n, 20],
  ['unique local', 0xfcn >> 1n, 7],
  ['link-local', 0xfe80n >> 6n, 10],
  ['site-local', 0xfec0n >> 6n, 10],
  ['multicast', 0xffn, 8],
];

const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
const numberOf = (address: string) => address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
const groupsOf = (value: bigint) => Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(112 - 16 * index)) & 0xffffn));

/** The spellings of an IPv6 address: short, with all digits, in capitals, with the last four bytes as IPv4. */
function spellings(value: bigint): string[] {
  const groups = groupsOf(value);
  const full = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
  const plain = groups.map((group) => group.toString(16)).join(':');
  const short = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const mixed = `${plain.split(':').slice(0, 6).join(':')}:${dotted(Number(value & 0xffff_ffffn))}`;
  return [plain, full, short, plain.toUpperCase(), mixed];
}

const refusedIpv4 = tuple(constantFrom(...REFUSED_IPV4), integer({ min: 0, max: 2 ** 32 - 1 })).map(([net, random]) => {
  const [first = '', length] = net.split('/');
  return numberOf(first) + (random % 2 ** (32 - Number(length)));
});
const anyIpv4 = integer({ min: 0, max: 2 ** 32 - 1 });
const bits = (count: number) => bigInt({ min: 0n, max: (1n << BigInt(count)) - 1n });

describe('a public address', () => {
  it.each(REFUSED_IPV4)('is none of %s, from its first to its last', (net) => {
    const [first = '', length] = net.split('/');
    const size = 2 ** (32 - Number(length));
    expect([first, dotted(numberOf(first) + size - 1)].filter(isPublicAddress)).toEqual([]);
  });

  it('is none of any net of IPv4 that is not of the internet', () => {
    assert(property(refusedIpv4, (value) => !isPublicAddress(dotted(value))));
  });

  it('is no form of IPv6 that holds an address of IPv4, whichever it holds and however it is spelled', () => {
    const forms = [0n, 0xffffn << 32n, 0xffff_0000n << 32n, 0x64ff9bn << 96n, 0x64ff9b0001n << 80n, 0x20010000n << 96n];
    assert(
      property(constantFrom(...forms), anyIpv4, (form, value) => !spellings(form | BigInt(value)).some(isPublicAddress)),
      { numRuns: 300 },
    );
    assert(
      property(anyIpv4, bits(80), (value, rest) => !isPublicAddress(spellings((0x2002n << 112n) | (BigInt(value) << 80n) | rest)[0] ?? '')),
    );
  });

  it.each(REFUSED_IPV6)('is none of IPv6 that is %s', (_name, prefix, length) => {
    const free = 128 - length;
    const all = (rest: bigint) => spellings((prefix << BigInt(free)) | rest);
    assert(property(bits(free), (rest) => !all(rest).some(isPublicAddress)));
    expect([...all(0n), ...all((1n << BigInt(free)) - 1n)].filter(isPublicAddress)).toEqual([]);
  });

  it('is none of IPv6 outside of 2000::/3', () => {
    assert(property(bits(128), (value) => value >> 125n === 1n || !spellings(value).some(isPublicAddress)));
  });

  it.each(['8.8.8.8', '1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'])(
    'is %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
  ])('is %s, beside a net that is not', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each(['2001:4860:4860::8888', '2606:4700:4700::1111', '2001:200::', '2001:db7:ffff::', '2001:db9::', '2003::1', '3ffe:ffff::1'])(
    'is %s, however it is spelled',
    (address) => {
      const [high = '', low = ''] = address.split('::');
      const groups = [high, low].map((half) => half.split(':').filter((group) => group !== ''));
      const middle = Array<string>(8 - groups.flat().length).fill('0');
      const value = [...(groups[0] ?? []), ...middle, ...(groups[1] ?? [])].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
      expect(spellings(value).filter((spelling) => !isPublicAddress(spelling))).toEqual([]);
    },
  );

  it.each(['', 'localhost', '8.8.8', '08.8.8.8', '8.8.8.8 ', '2606:4700::1%eth0', 'fe80::1%eth0', '[2606:4700::1]', '134744072'])(
    'is not the text "%s"',
    (text) => expect(isPublicAddress(text)).toBe(false),
  );
});

describe('a loopback address', () => {
  it.each(['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'])('is %s', (address) => expect(isLoopbackAddress(address)).toBe(true));

  it.each(['::ffff:127.0.0.1', '::127.0.0.1', '::', '::2', '64:ff9b::127.0.0.1', '::1%lo', '126.0.0.1', '128.0.0.1', '0.0.0.0', ''])(
    'is not %s',
    (address) => expect(isLoopbackAddress(address)).toBe(false),
  );
});
