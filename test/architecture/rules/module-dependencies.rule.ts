import { moduleDependencies } from '../layout.js';
import { importRule } from '../rule.js';

/** A domain module imports only the domain modules it is allowed, and nothing of the composition root. */
export const moduleDependenciesRule = importRule(
  'module-dependencies',
  (file) => file.place.area === 'src' && file.place.unit in moduleDependencies && !file.place.isSpec,
  ({ target }, { place }) => {
    if (target?.place.area !== 'src' || target.place.unit === place.unit) return undefined;
    const allowed = moduleDependencies[place.unit] ?? [];
    if (allowed.includes(target.place.unit)) return undefined;
    return `${place.unit} may import ${allowed.length === 0 ? 'no other module' : allowed.join(', ')}, not ${target.path}`;
  },
);
