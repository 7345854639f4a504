import { reachableFrom } from '../reachable.js';
import type { Rule } from '../rule.js';

const NAME = 'no-file-cycles';

/** No file imports itself by way of others; types count, for a reader has to follow them too. */
export const noFileCyclesRule: Rule = {
  name: NAME,
  check({ files }) {
    const reachable = reachableFrom(new Map(files.map(({ path, imports }) => [path, targetsOf(imports)])));
    return files.flatMap((file) =>
      file.imports
        .filter(({ target }) => target && (target.path === file.path || reachable.get(target.path)?.has(file.path)))
        .map(({ target, line }) => ({ rule: NAME, file: file.path, line, message: `${target?.path ?? ''} leads back to this file` })),
    );
  },
};

function targetsOf(imports: readonly { readonly target: { readonly path: string } | undefined }[]): ReadonlySet<string> {
  return new Set(imports.flatMap(({ target }) => target?.path ?? []));
}
