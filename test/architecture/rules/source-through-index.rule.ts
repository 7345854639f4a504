import { importRule } from '../rule.js';

/** A folder of `src/` is reached from outside through its `index.ts` only. */
export const sourceThroughIndexRule = importRule(
  'source-through-index',
  (file) => file.place.area === 'src',
  ({ target }, { place }) => {
    if (target?.place.area !== 'src' || target.place.unit === place.unit || target.place.unit === '') return undefined;
    return target.place.isIndex ? undefined : `import src/${target.place.unit}/index.ts instead of ${target.path}`;
  },
);
