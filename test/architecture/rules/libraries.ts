import { libraryRows } from '../layout.js';
import { importRule, type Rule } from '../rule.js';

const LIBRARY_SPECIFIER = /^#libs\/[a-z-]+$/;
const TEST_PACKAGE = /^(?:@jest\/globals|fast-check|jest|#libs\/testing)$/;
const PACKAGE = /^packages\/[^/]+\//;
const PUBLISHED = /^@adoption\//;

export const libraryRules: readonly Rule[] = [
  /** A library is imported as `#libs/NAME` from outside and by relative paths from within. */
  importRule('libraries-through-index', ({ target, specifier }, { place }) => {
    if (target?.place.area !== 'libs') return undefined;
    const fromWithin = place.area === 'libs' && place.unit === target.place.unit;
    if (fromWithin) return specifier.startsWith('.') ? undefined : 'within a library, import the file itself by its relative path';
    return LIBRARY_SPECIFIER.test(specifier) ? undefined : `import #libs/${target.place.unit} instead of ${specifier}`;
  }),

  /** A library knows nothing of the service that is built with it. */
  importRule('libraries-without-source', ({ target }, { place }) =>
    place.area === 'libs' && target?.place.area === 'src' ? `a library may not import ${target.path}` : undefined,
  ),

  /** A library imports only libraries of earlier rows of the layout, which leaves no cycle between libraries. */
  importRule('library-direction', ({ target }, { place }) => {
    if (place.area !== 'libs' || place.isSpec || target?.place.area !== 'libs' || target.place.unit === place.unit) return undefined;
    const [from, to] = [place, target.place].map(({ unit }) => libraryRows.findIndex((row) => row.includes(unit)));
    if (from === undefined || to === undefined || from < 0 || to < from) return undefined;
    return `${place.unit} stands below or beside ${target.place.unit} and may not import it`;
  }),

  /** What is built never imports what is only there for tests. */
  importRule('no-test-code', ({ target, specifier }, { place }) => {
    if (place.isSpec || (place.area === 'libs' && place.unit === 'testing')) return undefined;
    const forTests = target?.place.area === 'test' || target?.place.isSpec === true || TEST_PACKAGE.test(specifier);
    return forTests ? `${specifier} is there for tests only` : undefined;
  }),

  /** What is published for others takes nothing but its own files, and the service takes nothing of it. */
  importRule('packages-alone', ({ target, specifier }, { path, place }) => {
    const [own] = PACKAGE.exec(path) ?? [];
    if (own !== undefined) return target?.path.startsWith(own) ? undefined : `${specifier} is not part of ${own}`;
    if (place.isSpec) return undefined;
    return PACKAGE.test(target?.path ?? '') || PUBLISHED.test(specifier) ? `${specifier} is there for others` : undefined;
  }),
];
