import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { importsOf, type Import } from './imports-of.js';

/** Where a file stands in the layout. `layer` is the folder below the module or library, `''` for its own files. */
export interface Place {
  readonly area: 'src' | 'libs' | 'test' | 'other';
  /** The folder of `src/` or `libs/`; `''` for a file of the area itself. */
  readonly unit: string;
  readonly layer: string;
  readonly isIndex: boolean;
  readonly isSpec: boolean;
}

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

/** The TypeScript files below `src/`, `libs/`, the package for clients and the templates of parts of modules, with what they import. */
export interface ProjectTree {
  readonly files: readonly ProjectFile[];
}

const FOLDERS = ['src', 'libs', 'packages/client/src', 'generator/parts'];

export function readProjectTree(root: string): ProjectTree {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .sort(),
  );
  return treeOf(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/** The tree of these files, each with its text. */
export function treeOf(texts: readonly (readonly [path: string, text: string])[]): ProjectTree {
  const files = texts.map(([path, text]) => {
    const imports = importsOf(path, text).map((one) => ({ ...one, target: resolve(path, one.specifier) }));
    return { path, place: placeOf(path), imports };
  });
  return { files };
}

/** What modules and their parts are generated from stands outside of `src/` and is held to the same rules. */
const TEMPLATE = /^generator\/(?=parts\/)/;

function placeOf(path: string): Place {
  const [area = '', ...rest] = path.replace(TEMPLATE, 'src/').split('/');
  const file = rest.at(-1) ?? '';
  const layer = rest.length > 2 ? (rest[1] ?? '') : '';
  return {
    area: area === 'src' || area === 'libs' || area === 'test' ? area : 'other',
    unit: rest.length > 1 ? (rest[0] ?? '') : '',
    layer,
    isIndex: file === 'index.ts' && rest.length === 2,
    isSpec:
      file.endsWith('.spec.ts') ||
      /^libs\/.+\/testing\//.test(path) ||
      file.endsWith('.contract.ts') ||
      (area === 'src' && layer === 'test'),
  };
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
