import { posix } from 'node:path';
import { libraryRows, roleLayers, roles, specKinds, vagueNames } from '../layout.js';
import type { ProjectFile } from '../project-tree.js';
import { fileRule, type Rule } from '../rule.js';

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SPEC_KIND = new RegExp(`(?:^|\\.)(?:${specKinds.join('|').replaceAll('.', '\\.')})$`);

export const nameRules: readonly Rule[] = [
  /** Folders and files are kebab-case; what follows the first dot is a known role, in the folder where that role stands. */
  fileRule('file-names', (file) => {
    const [stem = '', ...suffixes] = posix.basename(file.path, '.ts').split('.');
    const role = suffixes.join('.').replace(SPEC_KIND, '');
    if (![...posix.dirname(file.path).split('/'), stem].every((name) => KEBAB_CASE.test(name))) {
      return 'folders and files are named in kebab-case';
    }
    return role === '' || roles.includes(role) ? misplacedRole(file, role) : `.${role} is no known role`;
  }),

  /** A name says what a file is for. */
  fileRule('telling-names', ({ path }) => {
    const vague = path.split(/[/.-]/).find((word) => vagueNames.includes(word));
    return vague && `"${vague}" does not say what the file is for`;
  }),

  /** Every library has its place in the layout, so that no rule passes over it. */
  fileRule('known-libraries', ({ place }) =>
    place.area !== 'libs' || libraryRows.flat().includes(place.unit)
      ? undefined
      : `libs/${place.unit} is not named in test/architecture/layout.ts`,
  ),
];

function misplacedRole({ place }: ProjectFile, role: string): string | undefined {
  if (place.isSpec && place.layer === 'test') return undefined;
  const layers = place.area === 'src' && place.unit !== '' ? roleLayers[role] : undefined;
  return !layers || layers.includes(place.layer) ? undefined : `a .${role}.ts file stands in ${layers.join('/ or ')}/`;
}
