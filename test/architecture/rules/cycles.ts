import type { ImportTarget, ProjectFile } from '../project-tree.js';
import type { Rule } from '../rule.js';

/** The places that an import leads from and to, or undefined where it does not count. */
type EndsOf = (file: ProjectFile, target: ImportTarget) => readonly [from: string, to: string] | undefined;

export const cycleRules: readonly Rule[] = [
  /** No file imports itself by way of others; types count, for a reader has to follow them too. */
  cycleRule('no-file-cycles', (file, target) => [file.path, target.path]),

  /**
   * The folders of a library, and the files beside them, stand one above another: none imports another that imports it, by whichever way.
   * Its index stands above them all.
   */
  cycleRule('no-folder-cycles', ({ place }, target) => {
    if (place.area !== 'libs' || place.isSpec || place.isIndex || target.place.isIndex) return undefined;
    if (target.place.area !== 'libs' || target.place.unit !== place.unit || target.place.layer === place.layer) return undefined;
    return [`libs/${place.unit}/${place.layer}`, `libs/${place.unit}/${target.place.layer}`];
  }),
];

function cycleRule(name: string, endsOf: EndsOf): Rule {
  return {
    name,
    check({ files }) {
      const steps = files.flatMap((file) =>
        file.imports.flatMap(({ target, line }) => {
          const [from, to] = (target && endsOf(file, target)) ?? [];
          return from === undefined || to === undefined ? [] : [{ file: file.path, line, from, to }];
        }),
      );
      const reachable = reachableFrom(steps);
      return steps
        .filter(({ from, to }) => from === to || reachable.get(to)?.has(from))
        .map(({ file, line, from, to }) => ({ rule: name, file, line, message: `${to} leads back to ${from}` }));
    },
  };
}

/** For each start of a step, all that it leads to over any number of steps; itself only where a way leads back to it. */
export function reachableFrom(steps: readonly { readonly from: string; readonly to: string }[]): ReadonlyMap<string, ReadonlySet<string>> {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of steps) next.set(from, (next.get(from) ?? new Set()).add(to));
  return new Map(
    [...next].map(([start, direct]) => {
      const seen = new Set(direct);
      // A set is walked on to what is added on the way.
      for (const node of seen) for (const further of next.get(node) ?? []) seen.add(further);
      return [start, seen];
    }),
  );
}
