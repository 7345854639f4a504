import { importRule } from '../rule.js';

/** A library knows nothing of the service that is built with it. */
export const librariesWithoutSourceRule = importRule(
  'libraries-without-source',
  (file) => file.place.area === 'libs',
  ({ target }) => (target?.place.area === 'src' ? `a library may not import ${target.path}` : undefined),
);
