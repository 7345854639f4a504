// Bundles the command line that stands in dist: a program that lives for a second spends most of it looking for the files of its packages.
// docs/adr/0031-bundle-the-command-line.md tells what that saves.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'dist/command-line');

/** Native, or asked for by a name that only Node's own resolution knows, so that a second copy would be loaded beside a bundled one. */
const LEFT_AS_PACKAGES = ['better-sqlite3', 'typeorm'];

/** What a file finds relative to itself, such as a page's assets, it finds in its own place. */
const ownPlaces = {
  name: 'own-places',
  setup({ initialOptions: { outfile }, onLoad }) {
    onLoad({ filter: /\.m?js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!/import\.meta\.(?:url|dirname)/.test(source)) return undefined;
      const urlOf = (place) => `new URL(${JSON.stringify(relative(dirname(outfile), place))}, import.meta.url)`;
      const contents = source
        .replaceAll('import.meta.url', `${urlOf(path)}.href`)
        .replaceAll('import.meta.dirname', `process.getBuiltinModule('node:url').fileURLToPath(${urlOf(dirname(path))})`);
      return { contents, loader: 'js' };
    });
  },
};

/** Packages that others can do without are looked for when the program runs, where they are not installed. */
const missingPackages = {
  name: 'missing-packages',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./#]/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === missingPackages) return undefined;
      const found = await resolve(path, { ...from, pluginData: missingPackages });
      return found.errors.length > 0 ? { path, external: true } : found;
    });
  },
};

/** The program answers by itself what needs no application, and takes the application from beside it for the rest. */
const applicationBeside = {
  name: 'application-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/application\.js$/ }, () => ({ path: './application.js', external: true }));
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  // As ES modules, packages leave out what nobody uses.
  mainFields: ['module', 'main'],
  target: 'node20',
  // Nest names what it cannot provide, and TypeORM its entities, by the names of classes.
  keepNames: true,
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  external: LEFT_AS_PACKAGES,
  // Packages in CommonJS ask for Node's modules by `require`.
  banner: { js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);" },
  logLevel: 'warning',
};
const application = join(folder, 'application.js');
const program = join(folder, 'cli.js');

rmSync(folder, { recursive: true, force: true });
await Promise.all([
  build({ ...common, entryPoints: ['dist/src/cli.js'], outfile: program, plugins: [applicationBeside, ownPlaces, missingPackages] }),
  build({ ...common, entryPoints: ['dist/src/cli/application.js'], outfile: application, plugins: [ownPlaces, missingPackages] }),
]);
chmodSync(program, 0o755);
const { commandCatalogue } = await import(application);
writeFileSync(join(folder, 'catalogue.json'), JSON.stringify(commandCatalogue()));
