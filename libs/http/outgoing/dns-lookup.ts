import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { RefusedEndpointError } from './failure-reason.js';

/** Finds all addresses of a name. Rejects with an error that has a code of `node:dns`. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

/** For a lookup as a whole, however many name servers are silent. */
const LOOKUP_MILLISECONDS = 2_000;
/** Until the first query is repeated; the next ones wait twice as long each. */
const FIRST_QUERY_MILLISECONDS = 500;
const QUERIES_PER_SERVER = 3;

/** These say that a name has no address. Every other error may be gone at the next lookup. */
const WITHOUT_ADDRESS: readonly string[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

/**
 * Asks the system's name servers for the addresses of a name, for 2 seconds at most. Unlike `lookup` of `node:dns` it takes none of the
 * process's few threads, so a name with silent servers delays nobody else. It reads no `/etc/hosts` and appends no search domains.
 */
export const askNameServers: Resolve = async (name) => {
  // One for each lookup, since `cancel` ends all queries of a resolver.
  const resolver = new Resolver({ timeout: FIRST_QUERY_MILLISECONDS, tries: QUERIES_PER_SERVER });
  const timer = setTimeout(() => resolver.cancel(), LOOKUP_MILLISECONDS);
  try {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [
      ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
      ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length > 0) return addresses;
    const errors = [ipv4, ipv6].flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    throw errors.find((error) => !isWithoutAddress(error)) ?? Object.assign(new Error(), { code: 'ENOTFOUND' });
  } finally {
    clearTimeout(timer);
  }
};

/** Returns the addresses of a name, at least one. @throws RefusedEndpointError if it has none, or if that cannot be found out now */
export async function lookUp(name: string, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const addresses = await resolve(name).catch((error: unknown) => {
    if (isWithoutAddress(error)) return [];
    throw new RefusedEndpointError(`has a host that cannot be resolved now (${name}): try again later`);
  });
  if (addresses.length === 0) throw new RefusedEndpointError(`must have a host with an address, and ${name} has none`);
  return addresses;
}

function isWithoutAddress(error: unknown): boolean {
  return WITHOUT_ADDRESS.includes((error as NodeJS.ErrnoException).code ?? '');
}
