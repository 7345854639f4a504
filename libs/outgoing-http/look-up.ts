import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { RefusedEndpointError } from './outgoing-http.errors.js';

/** Finds all addresses of a name. Rejects with an error that has a code of `node:dns`. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

/** For a look-up as a whole, however many name servers are silent. */
const LOOK_UP_MILLISECONDS = 2_000;
/** Until the first query is repeated; a server that is asked again is waited for twice as long. */
const FIRST_QUERY_MILLISECONDS = 500;
const QUERIES_PER_SERVER = 3;

/** What says that a name is known not to have an address. Every other error may be another one at the next look-up. */
const WITHOUT_ADDRESS: readonly string[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

/**
 * Asks the name servers of the system for the addresses of a name, for 2 seconds at most. In contrast to `lookup` of `node:dns` it takes
 * none of the threads that all look-ups and file operations of the process share, so a name whose servers are silent holds up nobody
 * else. It reads no `/etc/hosts` and appends no search domains.
 */
export const askNameServers: Resolve = async (name) => {
  // One for each look-up, since `cancel` ends all queries of a resolver.
  const resolver = new Resolver({ timeout: FIRST_QUERY_MILLISECONDS, tries: QUERIES_PER_SERVER });
  const timer = setTimeout(() => resolver.cancel(), LOOK_UP_MILLISECONDS);
  try {
    const found = await Promise.allSettled([addressesOf(resolver.resolve4(name), 4), addressesOf(resolver.resolve6(name), 6)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const errors = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    const [first] = errors;
    // One family is enough, as for a name that has the other only at servers that do not answer.
    if (addresses.length > 0 || first === undefined) return addresses;
    throw errors.find((error) => !meansWithoutAddress(error)) ?? first;
  } finally {
    clearTimeout(timer);
  }
};

async function addressesOf(query: Promise<string[]>, family: 4 | 6): Promise<LookupAddress[]> {
  return (await query).map((address) => ({ address, family }));
}

/** The addresses of a name, at least one. @throws RefusedEndpointError where it has none, or where that cannot be told now. */
export async function lookUp(name: string, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const addresses = await resolve(name).catch((error: unknown) => {
    if (meansWithoutAddress(error)) return [];
    throw new RefusedEndpointError(`has a host that cannot be resolved now (${name}): try again later`);
  });
  if (addresses.length === 0) throw new RefusedEndpointError(`must have a host with an address, and ${name} has none`);
  return addresses;
}

function meansWithoutAddress(error: unknown): boolean {
  return WITHOUT_ADDRESS.includes((error as NodeJS.ErrnoException).code ?? '');
}
