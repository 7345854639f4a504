import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Where a file stands; `layer` is the folder below the module or library, `''` for its own files. */
export interface Place {
  readonly path: string;
  readonly area: string;
  /** The folder of `src/` or `libs/`; `''` for a file of the area itself. */
  readonly unit: string;
  readonly layer: string;
  readonly isIndex: boolean;
  readonly isSpec: boolean;
}

export interface Import {
  readonly specifier: string;
  /** The names taken from it; empty for a side effect, a namespace or a dynamic import. */
  readonly names: readonly string[];
  /** Nothing of it is left at run time. */
  readonly typeOnly: boolean;
  /** The file that it reaches; undefined for a package. */
  readonly target: Place | undefined;
}

export interface ProjectFile extends Place {
  readonly imports: readonly Import[];
}

const FOLDERS = ['src', 'libs', 'packages/client/src', 'generator/parts', 'generator/template'];
/** What modules are generated from stands outside of `src/` and is held to the same rules. */
const TEMPLATE = /^generator\/(?=(?:parts|template)\/)/;
const IMPORT =
  /(?:^(?:import|export) (type )?(?:[\w$]+,? ?)?(?:\* as \w+ |\* ?|\{([^}]*)\} )?(?:from )?|\b(import|require)\()'([^'\n]+)'/gm;

export function readProjectTree(root: string): readonly ProjectFile[] {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => posix.join(folder, name)),
  );
  return treeOf(paths.filter((path) => path.endsWith('.ts')).map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/** The tree of these files, each with its text. */
export function treeOf(texts: readonly (readonly [path: string, text: string])[]): readonly ProjectFile[] {
  return texts.map(([path, text]) => ({ ...placeOf(path), imports: importsOf(path, text) }));
}

function importsOf(path: string, text: string): readonly Import[] {
  return [...text.matchAll(IMPORT)].map(([, type, list = '', , specifier = '']) => {
    const elements = list.split(',').flatMap((element) => element.trim() || []);
    const typeOnly = type !== undefined || (elements.length > 0 && elements.every((element) => element.startsWith('type ')));
    const names = elements.map((element) => element.replace(/^type /, '').replace(/ as .*/, ''));
    const target = targetPath(path, specifier);
    return { specifier, names, typeOnly, target: target === undefined ? undefined : placeOf(target) };
  });
}

function placeOf(path: string): Place {
  const [area = '', ...rest] = path.replace(TEMPLATE, 'src/').split('/');
  const layer = rest.length > 2 ? (rest[1] ?? '') : '';
  return {
    path,
    area,
    unit: rest.length > 1 ? (rest[0] ?? '') : '',
    layer,
    isIndex: rest.length === 2 && rest[1] === 'index.ts',
    isSpec: /\.spec\.ts$|\.contract\.ts$|^libs\/.+\/testing\//.test(path) || (area === 'src' && layer === 'test'),
  };
}

function targetPath(from: string, specifier: string): string | undefined {
  const path = specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined;
  const library = /^#libs\/([^/]+)(\/.+)?$/.exec(specifier);
  return (library ? `libs/${library[1] ?? ''}${library[2] ?? '/index'}` : path)?.replace(/(?:\.js)?$/, '.ts');
}
