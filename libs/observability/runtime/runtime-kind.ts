import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `checkout`: npm runs what is built from the sources; `image`: only what is built, with `adoption` among the programs. */
export type RuntimeKind = 'checkout' | 'image';

/** The folder with the `package.json` of this program, from the sources as well as from what is built. */
export const installationFolder = findManifest(import.meta.dirname);

/** How this program runs. */
export const runtimeKind = detectRuntimeKind(installationFolder);

/** Returns how a program in a folder with a `package.json` runs: a checkout has the script that `npm run cli` runs. */
export function detectRuntimeKind(folder: string): RuntimeKind {
  return existsSync(join(folder, 'scripts', 'run-built.mjs')) ? 'checkout' : 'image';
}

/**
 * Returns a command of the command line as an operator types it, such as `npm run cli -- doctor`.
 * @param words the command, such as `doctor`
 * @param variables what it needs to do the same as this process; the container has them set
 */
export function cliCommand(words: string, variables: Readonly<Record<string, string>> = {}, kind = runtimeKind): string {
  if (kind === 'image') return `adoption ${words}`;
  return [...Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`), `npm run cli -- ${words}`].join(' ');
}

/** Quotes a value for a shell if it has to be. */
function quote(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

function findManifest(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findManifest(dirname(folder));
}
