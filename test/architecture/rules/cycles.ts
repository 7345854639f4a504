import type { ImportTarget, ProjectFile } from '../project-tree.js';
import { SEE_IMPORTS, type Rule } from '../rule.js';

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

/** What to do about a cycle. */
const BREAK_CYCLE = 'move what both need to the lower one, or let the upper one register itself with a port of the lower one';

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
      const findPath = pathsAlong(steps);
      const cycles = steps.flatMap(({ file, line, from, to }) => {
        const back = findPath(to, from);
        return back ? [{ file, line, from, back }] : [];
      });
      // One import may close many cycles: of those that touch each other the shortest says enough.
      const told = new Set<string>();
      return cycles
        .sort((one, other) => one.back.length - other.back.length)
        .filter(({ back }) => {
          const isNew = back.every((node) => !told.has(node));
          for (const node of back) told.add(node);
          return isNew;
        })
        .map(({ file, line, from, back }) => ({ rule: name, file, line, message: describeCycle(from, back) + SEE_IMPORTS }));
    },
  };
}

/** @param back the way from what is imported to the importer */
export function describeCycle(from: string, back: readonly string[]): string {
  return `cycle ${[from, ...back].join(' → ')}: ${BREAK_CYCLE}`;
}

/** Returns a function that finds the shortest way from one end of the steps to another, both included; undefined if there is none. */
export function pathsAlong(
  steps: readonly { readonly from: string; readonly to: string }[],
): (start: string, end: string) => readonly string[] | undefined {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of steps) next.set(from, (next.get(from) ?? new Set()).add(to));
  return (start, end) => {
    const ways = new Map<string, readonly string[]>([[start, [start]]]);
    // A map is walked on to what is added on the way.
    for (const [node, way] of ways) {
      if (node === end) return way;
      for (const further of next.get(node) ?? []) if (!ways.has(further)) ways.set(further, [...way, further]);
    }
    return undefined;
  };
}
