import { libraryRows } from '../layout.js';
import { fileRule } from '../rule.js';

const libraries = new Set(libraryRows.flat());

/** Every library has its place in the layout, so that no rule passes over it. */
export const knownLibrariesRule = fileRule('known-libraries', ({ place }) =>
  place.area !== 'libs' || libraries.has(place.unit) ? undefined : `libs/${place.unit} is not named in test/architecture/layout.ts`,
);
