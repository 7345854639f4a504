import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Whether npm runs what is built from the sources, or only what is built is there, with `adoption` among the programs. */
export const runtimeKind = existsSync(join(findManifest(import.meta.dirname), 'scripts', 'run-built.mjs')) ? 'checkout' : 'image';

/** Returns a command of the command line as an operator types it, such as `npm run cli -- doctor` for `doctor`. */
export function cliCommand(words: string): string {
  return runtimeKind === 'image' ? `adoption ${words}` : `npm run cli -- ${words}`;
}

/** Returns the folder with the `package.json` of this program, from the sources as well as from what is built. */
function findManifest(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findManifest(dirname(folder));
}
