// For modules that are preloaded to plant a bug into the service as it is compiled.
import { register } from 'node:module';

// The bundle has copies of the classes, so the service is started from the modules that it was bundled of.
const unbundled = `export const resolve = (name, context, next) => next(name.replace('/dist/programs/', '/dist/src/'), context);`;
register(`data:text/javascript,${encodeURIComponent(unbundled)}`);

/** Replaces a method by the one that `replacement` makes of it. @throws Error if the class has no such method */
export function replaceMethod({ name, prototype }, method, replacement) {
  const original = prototype[method];
  if (typeof original !== 'function') throw new Error(`${name} has no method ${method} to plant a bug into`);
  prototype[method] = replacement(original);
}
