import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the program runs, and so what a person types or does there. Whatever advises a command takes it from here. */
export interface Place {
  /** `checkout`: the sources, where npm runs what is built; `image`: what is built alone, with `adoption` among the programs. */
  readonly name: 'checkout' | 'image';
  /**
   * How a command of the command line is typed, such as `npm run cli -- doctor`.
   * @param words the command, such as `doctor`
   * @param variables what it must find set to do the same as this process; in the container they are set
   */
  command(words: string, variables?: Readonly<Record<string, string>>): string;
}

const PLACES: Readonly<Record<Place['name'], Place>> = {
  checkout: {
    name: 'checkout',
    command: (words, variables = {}) =>
      [...Object.entries(variables).map(([name, value]) => `${name}=${value}`), `npm run cli -- ${words}`].join(' '),
  },
  image: {
    name: 'image',
    command: (words) => `adoption ${words}`,
  },
};

/** The folder with the `package.json` of this program, from the sources as well as from what is built. */
export const installationFolder = findManifest(import.meta.dirname);

/** Where this program runs. */
export const place = placeOf(installationFolder);

/** The place that a folder with a `package.json` is: a checkout has the script that `npm run cli` runs. */
export function placeOf(folder: string): Place {
  return existsSync(join(folder, 'scripts', 'run-built.mjs')) ? PLACES.checkout : PLACES.image;
}

function findManifest(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findManifest(dirname(folder));
}
