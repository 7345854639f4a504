import type { ProjectFile } from '../project-tree.js';
import { type Graph, reachable } from '../reachable.js';
import type { Rule, Violation } from '../rule.js';

const NAME = 'no-file-cycles';

/** No file imports itself by way of others; types count, for a reader has to follow them too. */
export const noFileCyclesRule: Rule = {
  name: NAME,
  check({ files }) {
    const imported = reachable(new Map(files.map((file) => [file.path, new Set(targetsOf(file))])));
    return files.flatMap((file) => importsOnCycle(file, imported));
  },
};

function targetsOf({ imports }: ProjectFile): string[] {
  return imports.flatMap(({ target }) => (target ? [target.path] : []));
}

function importsOnCycle(file: ProjectFile, imported: Graph): Violation[] {
  return file.imports
    .filter(({ target }) => target && (target.path === file.path || imported.get(target.path)?.has(file.path)))
    .map(({ target, line }) => ({ rule: NAME, file: file.path, line, message: `${target?.path ?? ''} leads back to this file` }));
}
