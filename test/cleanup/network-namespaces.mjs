import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';

/** Where `ip netns` keeps them by their names. */
const PLACE = '/run/netns';

/** What the names of the network namespaces begin with that a run of the tests makes, by the folder of the run. */
export function namespacePrefix(folder) {
  return `adoption-${basename(folder).split('-').at(-1)}-`;
}

/** Removes them, and with them every interface that has its other end there. */
export function removeNamespaces(folder) {
  const names = existsSync(PLACE) ? readdirSync(PLACE) : [];
  for (const name of names.filter((one) => one.startsWith(namespacePrefix(folder)))) execFileSync('ip', ['netns', 'delete', name]);
}
