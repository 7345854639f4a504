import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';

/** Where `ip netns` keeps them by their names. */
const PLACE = '/run/netns';

/** What the names of the network namespaces begin with that a run of the tests makes, by the folder of the run. */
export function namespacePrefix(folder) {
  return `adoption-${basename(folder).split('-').at(-1)}-`;
}

/** The names of those that are there. */
export function namespacesOf(folder) {
  return existsSync(PLACE) ? readdirSync(PLACE).filter((name) => name.startsWith(namespacePrefix(folder))) : [];
}

/** Removes them, and with them every interface that has its other end there. */
export function removeNamespaces(folder) {
  for (const name of namespacesOf(folder)) execFileSync('ip', ['netns', 'delete', name]);
}
