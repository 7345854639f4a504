import { BlockList, isIP } from 'node:net';

type Net = readonly [first: string, prefixLength: number];

const LOOPBACK_IPV4: Net = ['127.0.0.0', 8];

/** All of IPv4 that no host of the public internet has, or that leads on to other addresses. */
const NOT_PUBLIC_IPV4: readonly Net[] = [
  ['0.0.0.0', 8], // this network, the unspecified address
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by the customers of a provider
  LOOPBACK_IPV4,
  ['169.254.0.0', 16], // link-local, where clouds answer with credentials
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // assignments of protocols
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['168.63.129.16', 32], // what Azure answers its own machines from
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/** Nothing else of IPv6 is given out: not the mapped, translated, local and multicast forms. */
const GLOBAL_UNICAST_IPV6: Net = ['2000::', 3];

const NOT_PUBLIC_IPV6: readonly Net[] = [
  ['2001::', 23], // assignments of protocols, among them Teredo, which leads on to an IPv4 address
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which leads on to an IPv4 address
  ['3fff::', 20], // documentation
];

const loopbackIpv4 = blockList('ipv4', [LOOPBACK_IPV4]);
const loopbackIpv6 = blockList('ipv6', [['::1', 128]]);
const notPublicIpv4 = blockList('ipv4', NOT_PUBLIC_IPV4);
const globalUnicastIpv6 = blockList('ipv6', [GLOBAL_UNICAST_IPV6]);
const notPublicIpv6 = blockList('ipv6', NOT_PUBLIC_IPV6);

/**
 * Whether an address, in any spelling that `net.isIP` knows, belongs to a host of the public internet. Forms of IPv6 that hold an IPv4
 * address do not, whichever they hold, and neither does what has a zone or is no address.
 */
export function isPublicAddress(address: string): boolean {
  switch (familyOf(address)) {
    case 'ipv4':
      return !notPublicIpv4.check(address, 'ipv4');
    case 'ipv6':
      return globalUnicastIpv6.check(address, 'ipv6') && !notPublicIpv6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** Whether an address is one of 127.0.0.0/8 or `::1`. A form of IPv6 that holds one of IPv4 is not. */
export function isLoopbackAddress(address: string): boolean {
  switch (familyOf(address)) {
    case 'ipv4':
      return loopbackIpv4.check(address, 'ipv4');
    case 'ipv6':
      return loopbackIpv6.check(address, 'ipv6');
    default:
      return false;
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  // A zone names a link of this machine; the lists would not look at it.
  if (address.includes('%')) return undefined;
  return ({ 4: 'ipv4', 6: 'ipv6' } as const)[isIP(address)];
}

// One list holds nets of one family: a list of both compares a mapped address with those of IPv4.
function blockList(family: 'ipv4' | 'ipv6', nets: readonly Net[]): BlockList {
  const list = new BlockList();
  for (const [first, prefixLength] of nets) list.addSubnet(first, prefixLength, family);
  return list;
}
