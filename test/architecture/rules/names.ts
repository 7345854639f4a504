import { posix } from 'node:path';
import { libraryRows, roleLayers } from '../layout.js';
import { fileRule, type Rule } from '../rule.js';

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const nameRules: readonly Rule[] = [
  /** Folders and files are kebab-case; a file with a role is in the folder of that role, so that no rule about the folder passes over it. */
  fileRule('file-names', ({ path, place }) => {
    const [stem = '', role = ''] = posix.basename(path, '.ts').split('.');
    if (![...posix.dirname(path).split('/'), stem].every((name) => KEBAB_CASE.test(name))) {
      return 'folders and files are named in kebab-case';
    }
    const layers = place.area === 'src' && place.unit !== '' && !place.isSpec ? roleLayers[role] : undefined;
    return !layers || layers.includes(place.layer) ? undefined : `a .${role}.ts file stands in ${layers.join('/ or ')}/`;
  }),

  /** Every library has its place in the layout, so that no rule passes over it. */
  fileRule('known-libraries', ({ place }) =>
    place.area !== 'libs' || libraryRows.flat().includes(place.unit)
      ? undefined
      : `libs/${place.unit} is not named in test/architecture/layout.ts`,
  ),
];
