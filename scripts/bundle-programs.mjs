// Bundles the service and its command line into dist/programs: a start spends most of its time looking for the files of packages.
// A start takes half the processor time of one without the bundle, and `--help` a fifteenth.
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'rolldown';

const root = join(import.meta.dirname, '..');
const compiled = join(root, 'dist');
const folder = join(compiled, 'programs');
// As deep as the folder that it becomes.
const aside = `${folder}.new`;

const LEFT_AS_PACKAGES = [
  // Native.
  'better-sqlite3',
  // Nest imports it by a name that only Node can resolve, so a bundled one would be a second copy.
  'typeorm',
  // Not installed in production; the packages that import them do without.
  'pg-cloudflare',
  'supports-color',
];

/** Resolves relative files, such as a page's assets, from the place of the file before bundling. */
const ownPlaces = {
  name: 'own-places',
  transform(source, path) {
    if (!/import\.meta\.(?:url|dirname)/.test(source)) return undefined;
    const urlOf = (place) => `new URL(${JSON.stringify(relative(folder, place))}, import.meta.url)`;
    return source
      .replaceAll('import.meta.url', `${urlOf(path)}.href`)
      .replaceAll('import.meta.dirname', `process.getBuiltinModule('node:url').fileURLToPath(${urlOf(dirname(path))})`);
  },
};

/** Optional packages that are not installed are looked for when the program runs. */
const missingPackages = {
  name: 'missing-packages',
  async resolveId(name, importer, options) {
    if (/^(?:[./#]|node:)/.test(name)) return undefined;
    return (await this.resolve(name, importer, { ...options, skipSelf: true })) ?? { id: name, external: true };
  },
};

function bundle(input) {
  return build({
    cwd: root,
    input,
    platform: 'node',
    external: LEFT_AS_PACKAGES,
    plugins: [ownPlaces, missingPackages],
    // Logs and traces name errors and commands by their classes, which a bundle renames if another has the same name.
    output: {
      dir: aside,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      keepNames: true,
      // Node keeps the text of a program in memory, in two bytes a character if a single one needs them.
      charset: 'ascii',
      comments: { legal: true, annotation: false, jsdoc: false },
    },
    // Their warnings are about the machine, all others about the code.
    checks: { bundlerTimings: false },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
}

// A build that was killed may have left it.
rmSync(aside, { recursive: true, force: true });
try {
  // Apart, so that what both share never lands in an entry: importing that would start the other program. What is loaded when it is
  // needed, such as the application of the command line, stays a file of its own.
  await bundle({ main: 'dist/src/main.js' });
  await bundle({ cli: 'dist/src/cli.js' });
  chmodSync(join(aside, 'cli.js'), 0o755);
  rmSync(folder, { recursive: true, force: true });
  renameSync(aside, folder);
} finally {
  rmSync(aside, { recursive: true, force: true });
}
