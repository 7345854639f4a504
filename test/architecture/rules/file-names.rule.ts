import { posix } from 'node:path';
import { roleLayers, roles, specKinds } from '../layout.js';
import type { ProjectFile } from '../project-tree.js';
import { fileRule } from '../rule.js';

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SPEC_KIND = new RegExp(`(?:^|\\.)(?:${specKinds.join('|').replaceAll('.', '\\.')})$`);

/** Folders and files are kebab-case; what follows the first dot is a known role, in the folder where that role stands. */
export const fileNamesRule = fileRule('file-names', (file) => {
  const [stem = '', ...suffixes] = posix.basename(file.path, '.ts').split('.');
  const role = suffixes.join('.').replace(SPEC_KIND, '');
  const folders = posix.dirname(file.path).split('/');
  if (![...folders, stem].every((name) => KEBAB_CASE.test(name))) return 'folders and files are named in kebab-case';
  if (role !== '' && !roles.includes(role)) return `.${role} is no known role`;
  return misplacedRole(file, role);
});

function misplacedRole({ place }: ProjectFile, role: string): string | undefined {
  if (place.isSpec && place.layer === 'test') return undefined;
  const layers = place.area === 'src' && place.unit !== '' ? roleLayers[role] : undefined;
  return !layers || layers.includes(place.layer) ? undefined : `a .${role}.ts file stands in ${layers.join('/ or ')}/`;
}
