import { importRule } from '../rule.js';

const COMMANDS = /^src\/[^/]+\/(?:cli|command-line)\/[^/]+\.ts$/;

/**
 * A folder of `src/` is reached from outside through its `index.ts` only. Commands are reached past it, by the list of commands and by
 * other commands: the command line gives help without the application.
 */
export const sourceThroughIndexRule = importRule(
  'source-through-index',
  (file) => file.place.area === 'src',
  ({ target }, { place, path }) => {
    if (target?.place.area !== 'src' || target.place.unit === place.unit || target.place.unit === '') return undefined;
    if (COMMANDS.test(target.path) && (place.unit === '' || COMMANDS.test(path))) return undefined;
    return target.place.isIndex ? undefined : `import src/${target.place.unit}/index.ts instead of ${target.path}`;
  },
);
