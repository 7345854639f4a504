/** Where a file stands in the layout. `layer` is the folder below the module or library, `''` for its own files. */
export interface Place {
  readonly area: 'src' | 'libs' | 'test' | 'other';
  /** The folder of `src/` or `libs/`; `''` for a file of the area itself. */
  readonly unit: string;
  readonly layer: string;
  readonly isIndex: boolean;
  readonly isSpec: boolean;
}

/** What modules and their parts are generated from stands outside of `src/` and is held to the same rules. */
const TEMPLATE = /^generator\/(?=template\/|parts\/)/;

/** @param path relative to the root of the tree, with forward slashes. */
export function placeOf(path: string): Place {
  const [area = '', ...rest] = path.replace(TEMPLATE, 'src/').split('/');
  const file = rest.at(-1) ?? '';
  const layer = rest.length > 2 ? (rest[1] ?? '') : '';
  return {
    area: isArea(area) ? area : 'other',
    unit: rest.length > 1 ? (rest[0] ?? '') : '',
    layer,
    isIndex: file === 'index.ts' && rest.length === 2,
    isSpec: file.endsWith('.spec.ts') || file.endsWith('.contract.ts') || (area === 'src' && layer === 'test'),
  };
}

function isArea(name: string): name is 'src' | 'libs' | 'test' {
  return name === 'src' || name === 'libs' || name === 'test';
}
