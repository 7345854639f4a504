import { compositionRoot, libraryRows, moduleDependencies } from '../layout.js';
import { fileRule } from '../rule.js';

const sourceFolders = new Set([...Object.keys(moduleDependencies), ...compositionRoot]);
const libraries = new Set(libraryRows.flat());

/** Every folder of `src/` and `libs/` has its place in the layout, so that no rule passes over it. */
export const knownFoldersRule = fileRule('known-folders', ({ place }) => {
  const known = place.area === 'src' ? sourceFolders : libraries;
  return known.has(place.unit) ? undefined : `${place.area}/${place.unit} is not named in test/architecture/layout.ts`;
});
