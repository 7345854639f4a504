import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { importsOf, type Import } from './imports-of.js';
import { placeOf, type Place } from './place.js';

/** An import with the file of the tree that it reaches; `target` is undefined for a package. */
export interface ResolvedImport extends Import {
  readonly target: ImportTarget | undefined;
}

export interface ImportTarget {
  /** Relative to the root of the tree. */
  readonly path: string;
  readonly place: Place;
}

export interface ProjectFile {
  /** Relative to the root of the tree, with forward slashes. */
  readonly path: string;
  readonly place: Place;
  readonly imports: readonly ResolvedImport[];
}

/** The TypeScript files below `src/`, `libs/`, the package for clients and the templates of modules, with what they import. */
export interface ProjectTree {
  readonly files: readonly ProjectFile[];
}

export function readProjectTree(root: string): ProjectTree {
  const folders = ['src', 'libs', 'packages/client/src', 'generator/template', 'generator/parts'].filter((folder) =>
    existsSync(join(root, folder)),
  );
  const paths = folders.flatMap((folder) => typeScriptFiles(root, folder));
  return { files: paths.map((path) => readProjectFile(root, path)) };
}

function typeScriptFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => posix.relative(toPosix(root), toPosix(join(entry.parentPath, entry.name))))
    .sort();
}

function toPosix(path: string): string {
  return path.replaceAll('\\', '/');
}

function readProjectFile(root: string, path: string): ProjectFile {
  const imports = importsOf(path, readFileSync(join(root, path), 'utf8'));
  return { path, place: placeOf(path), imports: imports.map((one) => ({ ...one, target: resolve(path, one.specifier) })) };
}

function resolve(from: string, specifier: string): ImportTarget | undefined {
  const path = targetPath(from, specifier);
  return path === undefined ? undefined : { path, place: placeOf(path) };
}

function targetPath(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('#libs/')) return libraryPath(specifier.slice('#libs/'.length));
  if (!specifier.startsWith('.')) return undefined;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

function libraryPath(name: string): string {
  return name.includes('/') ? `libs/${name.replace(/\.js$/, '')}.ts` : `libs/${name}/index.ts`;
}
