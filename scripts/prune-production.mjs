// Removes from an install what nobody needs who only runs it: types, source maps, documentation and tests of packages, and what is left of
// compiling native ones. Licences stay. It is made for a stage of the Dockerfile and refuses a checkout, whose packages it would ruin.
// Usage: node scripts/prune-production.mjs FOLDER
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const PROJECT = 'animal-adoption-service';
/** Node loads no TypeScript from node_modules, and nothing here turns source maps on: stack traces name the lines of what runs. */
const UNUSED_FILE = /\.(?:[cm]?ts|map|flow|tsbuildinfo)$/;
const DOCUMENTATION = /\.(?:md|markdown)$/i;
const LICENCE = /licen[cs]e|copying|copyright|notice|patents/i;
/** In the root of a package alone: deeper, a folder of such a name may be code. `dist/tests` is what Nest's packages publish. */
const UNUSED_FOLDERS = 'test tests __tests__ bench benchmark benchmarks example examples doc docs .github dist/tests'.split(' ');
/** Where a package is compiled from `binding.gyp`, its sources, and all that its compiler wrote but modules. */
const NATIVE_SOURCES = ['deps', 'src'];
/** The same as ES modules for bundlers of browsers, half of the package; Node takes what `exports` names. */
const UNUSED_PARTS = { typeorm: ['browser'] };

const [folder] = process.argv.slice(2);
const refusal = folder === undefined ? 'Usage: node scripts/prune-production.mjs FOLDER' : reasonAgainst(folder);
if (refusal) {
  console.error(refusal);
  process.exitCode = 1;
} else {
  prunePackages(join(folder, 'node_modules'));
  // What is built has a folder node_modules too, with the files of packages that pages are made of.
  pruneFiles(join(folder, 'dist'), (path) => UNUSED_FILE.test(path));
}

/** Why the folder is no install for production of this project, which alone may be pruned. */
function reasonAgainst(root) {
  const packages = join(root, 'node_modules');
  const lockFile = join(root, 'package-lock.json');
  if (!existsSync(lockFile) || !existsSync(packages)) return `${root} has no package-lock.json with its packages.`;
  const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
  if (lock.name !== PROJECT) return `${root} is not ${PROJECT}, and left as it is.`;
  const sources = ['.git', 'src', 'libs'].find((source) => existsSync(join(root, source)));
  if (sources) return `${root} is a checkout, since it has ${sources}, and left as it is.`;
  if (!lstatSync(packages).isDirectory()) return `${packages} leads elsewhere, and is left as it is.`;
  const development = Object.keys(lock.packages).find((path) => isForDevelopment(lock.packages[path]) && existsSync(join(root, path)));
  return development && `${join(root, development)} is for development, so all is left as it is.`;
}

function isForDevelopment({ dev, devOptional }) {
  return dev || devOptional;
}

function prunePackages(packages) {
  for (const entry of foldersIn(packages)) {
    const names = entry.startsWith('@') ? foldersIn(join(packages, entry)).map((name) => `${entry}/${name}`) : [entry];
    for (const name of names.filter((each) => !each.startsWith('.'))) prunePackage(join(packages, name), name);
  }
}

function prunePackage(root, name) {
  const isNative = existsSync(join(root, 'binding.gyp'));
  const unused = [...UNUSED_FOLDERS, ...(UNUSED_PARTS[name] ?? []), ...(isNative ? NATIVE_SOURCES : [])];
  for (const part of unused) if (!hasLicence(join(root, part))) rmSync(join(root, part), { recursive: true, force: true });
  const modules = join(root, 'build', 'Release');
  if (isNative) pruneFiles(join(root, 'build'), (path) => dirname(path) !== modules || !path.endsWith('.node'));
  // Where no file has the licence, the documentation may have it.
  const hasOwnLicence = readdirSync(root).some(isLicence);
  pruneFiles(root, (path) => !isLicence(path) && (UNUSED_FILE.test(path) || (DOCUMENTATION.test(path) && hasOwnLicence)));
  if (existsSync(join(root, 'node_modules'))) prunePackages(join(root, 'node_modules'));
}

/** Removes the files that are named, and folders that are empty then. Links are left alone, and so are packages of a package. */
function pruneFiles(root, isUnused) {
  if (!existsSync(root)) return;
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const path = join(root, entry.name);
    if (entry.isFile() && isUnused(path)) rmSync(path);
    if (!entry.isDirectory() || entry.name === 'node_modules') continue;
    pruneFiles(path, isUnused);
    if (readdirSync(path).length === 0) rmSync(path, { recursive: true });
  }
}

function hasLicence(root) {
  return existsSync(root) && readdirSync(root, { recursive: true }).some(isLicence);
}

function isLicence(path) {
  return LICENCE.test(basename(path)) && !UNUSED_FILE.test(path);
}

function foldersIn(root) {
  return readdirSync(root, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
