import type { ProjectFile, ProjectTree } from '../project-tree.js';
import { reachableFrom } from '../reachable.js';
import type { Rule, Violation } from '../rule.js';

const NAME = 'no-room-cycles';

interface RoomImport extends Pick<Violation, 'file' | 'line'> {
  readonly from: string;
  readonly to: string;
}

/**
 * The folders of a library, and the files beside them, stand one above another: none imports another that imports it, by whichever way.
 * Its index stands above them all.
 */
export const noRoomCyclesRule: Rule = {
  name: NAME,
  check(tree) {
    const imports = roomImports(tree);
    const steps = new Map<string, Set<string>>();
    for (const { from, to } of imports) steps.set(from, (steps.get(from) ?? new Set()).add(to));
    const reachable = reachableFrom(steps);
    return imports
      .filter(({ from, to }) => reachable.get(to)?.has(from))
      .map(({ file, line, from, to }) => ({ rule: NAME, file, line, message: `${to} leads back to ${from}` }));
  },
};

function roomImports({ files }: ProjectTree): RoomImport[] {
  return files
    .filter(({ place }) => place.area === 'libs' && !place.isSpec && !place.isIndex)
    .flatMap((file) =>
      file.imports.flatMap(({ target, line }) => {
        if (target?.place.area !== 'libs' || target.place.unit !== file.place.unit || target.place.isIndex) return [];
        const [from, to] = [roomOf(file), roomOf(target)];
        return from === to ? [] : [{ file: file.path, line, from, to }];
      }),
    );
}

function roomOf({ place }: Pick<ProjectFile, 'place'>): string {
  return `libs/${place.unit}/${place.layer}`;
}
