import type { LookupAddress } from 'node:dns';
import { RefusedEndpointError } from './outgoing-http.errors.js';

/** All addresses of a name, as `lookup` of `node:dns` finds them. */
export type Resolve = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** What says that a name is known not to have an address. Every other error may be another one at the next look-up. */
const WITHOUT_ADDRESS: readonly string[] = ['ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EAI_NODATA'];

/** The addresses of a name, at least one. @throws RefusedEndpointError where it has none, or where that cannot be told now. */
export function lookUp(name: string, resolve: Resolve): Promise<readonly LookupAddress[]> {
  return new Promise((fulfil, reject) => {
    resolve(name, { all: true }, (error, addresses) => {
      if (error && !WITHOUT_ADDRESS.includes(error.code ?? '')) reject(new RefusedEndpointError(cannotBeResolved(name)));
      else if (error || addresses.length === 0) reject(new RefusedEndpointError(`must have a host with an address, and ${name} has none`));
      else fulfil(addresses);
    });
  });
}

/** The problem with a name of which nobody says now what it leads to. */
export function cannotBeResolved(name: string): string {
  return `has a host that cannot be resolved now (${name}): try again later`;
}
