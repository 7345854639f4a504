import { pureNodeFunctions } from '../layout.js';
import type { ProjectFile, ResolvedImport } from '../project-tree.js';
import { importRule } from '../rule.js';

/** The domain imports its own folder, types of the event store and of other modules, the errors and pure functions of Node; no package. */
export const pureDomainRule = importRule(
  'pure-domain',
  ({ place }) => place.area === 'src' && place.layer === 'domain' && !place.isSpec,
  (one, file) => (isAllowed(one, file) ? undefined : `the domain may not import ${one.specifier}${one.typeOnly ? '' : ' at run time'}`),
);

function isAllowed({ target, specifier, names, typeOnly }: ResolvedImport, { place }: ProjectFile): boolean {
  if (specifier === '#libs/errors') return true;
  if (specifier === '#libs/event-store') return typeOnly;
  const pure = pureNodeFunctions[specifier];
  if (pure) return names.length > 0 && names.every((name) => pure.includes(name));
  if (target?.place.area !== 'src') return false;
  return target.place.unit === place.unit ? target.place.layer === 'domain' : typeOnly && target.place.isIndex;
}
