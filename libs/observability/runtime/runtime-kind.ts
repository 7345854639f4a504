import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `checkout`: npm runs what is built from the sources; `image`: only what is built, with `adoption` among the programs. */
export type RuntimeKind = 'checkout' | 'image';

/** How this program runs: a checkout has the script that `npm run cli` runs. */
export const runtimeKind: RuntimeKind = existsSync(join(findManifest(import.meta.dirname), 'scripts', 'run-built.mjs'))
  ? 'checkout'
  : 'image';

/** Returns a command of the command line as an operator types it, such as `npm run cli -- doctor` for `doctor`. */
export function cliCommand(words: string): string {
  return runtimeKind === 'image' ? `adoption ${words}` : `npm run cli -- ${words}`;
}

/** Returns the folder with the `package.json` of this program, from the sources as well as from what is built. */
function findManifest(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findManifest(dirname(folder));
}
