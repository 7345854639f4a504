// Bundles the service and its command line into dist/programs: a start spends most of its time looking for the files of packages.
// docs/adr/0031-bundle-the-programs.md tells what that saves.
import { chmodSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'rolldown';

const root = join(import.meta.dirname, '..');
const compiled = join(root, 'dist');
const folder = join(compiled, 'programs');
// As deep as the folder that it becomes.
const aside = `${folder}.new-${process.pid}`;

const LEFT_AS_PACKAGES = [
  // Native.
  'better-sqlite3',
  // Nest asks for it by a name that only Node's own resolution knows, so that a second copy would be loaded beside a bundled one.
  'typeorm',
  // Not there in production; those who ask for them do without.
  'pg-cloudflare',
  'supports-color',
];

/** What a file finds relative to itself, such as a page's assets, it finds in its own place. */
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

/** Packages that others can do without are looked for when the program runs, where they are not installed. */
const missingPackages = {
  name: 'missing-packages',
  async resolveId(name, importer, options) {
    if (/^(?:[./#]|node:)/.test(name)) return undefined;
    return (await this.resolve(name, importer, { ...options, skipSelf: true })) ?? { id: name, external: true };
  },
};

/** Logs and traces name errors and commands by their classes, which a bundle renames where another has the same name. */
const ownNames = {
  name: 'own-names',
  transform(source, path) {
    if (!path.startsWith(compiled)) return undefined;
    const named = (header, name) => `${header} static { Object.defineProperty(this, 'name', { value: '${name}', configurable: true }); }`;
    return source.replace(/^(?:export )?class (\w+) .*\{$/gm, named);
  },
};

function bundle(input) {
  return build({
    cwd: root,
    input,
    platform: 'node',
    external: LEFT_AS_PACKAGES,
    plugins: [ownPlaces, missingPackages, ownNames],
    output: { dir: aside, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', minify: false },
    // How long plugins take tells of the machine; all other warnings are about the code.
    checks: { bundlerTimings: false },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
}

/** Removes what builds that were killed have left. */
function removeAbandoned() {
  for (const name of readdirSync(compiled)) {
    const [, pid] = /^programs\.(?:new|old)-(\d+)$/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(compiled, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Puts what is built in its place, which another build may be doing at the same time. */
function replacePrograms() {
  const old = `${folder}.old-${process.pid}`;
  for (let isReplaced = false; !isReplaced;) {
    isReplaced = isRenamed(aside, folder, ['ENOTEMPTY', 'EEXIST']);
    if (!isReplaced && isRenamed(folder, old, ['ENOENT'])) rmSync(old, { recursive: true });
  }
}

function isRenamed(from, to, expected) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (expected.includes(error.code)) return false;
    throw error;
  }
}

removeAbandoned();
try {
  // What is loaded when it is needed, such as the application of the command line, stays a file of its own.
  await bundle({ main: 'dist/src/main.js', cli: 'dist/src/cli.js' });
  chmodSync(join(aside, 'cli.js'), 0o755);
  replacePrograms();
} finally {
  rmSync(aside, { recursive: true, force: true });
}
