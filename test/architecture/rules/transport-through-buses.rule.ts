import { transportLayers } from '../layout.js';
import type { ProjectFile, ResolvedImport } from '../project-tree.js';
import { importRule } from '../rule.js';

const PERSISTENCE = /^(?:@nestjs\/)?typeorm(?:\/|$)/;

/** What speaks REST, GraphQL or command line reaches data through the command and query bus only. */
export const transportThroughBusesRule = importRule(
  'transport-through-buses',
  ({ place }) => place.area === 'src' && transportLayers.includes(place.layer) && !place.isSpec,
  (one, file) => {
    const detour = detourOf(one, file);
    return detour === undefined ? undefined : `${file.place.layer}/ talks to the command and query bus only, not to ${detour}`;
  },
);

function detourOf({ target, specifier, names, typeOnly }: ResolvedImport, { place }: ProjectFile): string | undefined {
  if (target?.place.unit === place.unit && target.place.layer === 'read-model') return 'the read model';
  if (PERSISTENCE.test(specifier) || specifier === '#libs/database') return specifier;
  if (specifier === '#libs/event-store' && !typeOnly) return 'the event store';
  return names.find((name) => name.endsWith('Repository'));
}
