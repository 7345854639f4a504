import { importRule } from '../rule.js';

const LIBRARY_SPECIFIER = /^#libs\/[a-z-]+$/;

/** A library is imported as `#libs/NAME` from outside and by relative paths from within. */
export const librariesThroughIndexRule = importRule(
  'libraries-through-index',
  () => true,
  ({ target, specifier }, { place }) => {
    if (target?.place.area !== 'libs') return undefined;
    const fromWithin = place.area === 'libs' && place.unit === target.place.unit;
    if (fromWithin) return specifier.startsWith('.') ? undefined : 'within a library, import the file itself by its relative path';
    return LIBRARY_SPECIFIER.test(specifier) ? undefined : `import #libs/${target.place.unit} instead of ${specifier}`;
  },
);
