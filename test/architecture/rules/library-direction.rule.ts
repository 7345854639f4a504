import { libraryRows } from '../layout.js';
import { importRule } from '../rule.js';

const rowOf = new Map(libraryRows.flatMap((row, index) => row.map((name) => [name, index] as const)));

/** A library imports only libraries of earlier rows of the layout, which leaves no cycle between libraries. */
export const libraryDirectionRule = importRule(
  'library-direction',
  (file) => file.place.area === 'libs' && !file.place.isSpec,
  ({ target }, { place }) => {
    if (target?.place.area !== 'libs' || target.place.unit === place.unit) return undefined;
    const from = rowOf.get(place.unit);
    const to = rowOf.get(target.place.unit);
    if (from === undefined || to === undefined || to < from) return undefined;
    return `${place.unit} stands below or beside ${target.place.unit} and may not import it`;
  },
);
