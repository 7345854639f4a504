import type { ProjectFile, ProjectTree } from '../project-tree.js';
import type { Rule, Violation } from '../rule.js';

const NAME = 'no-file-cycles';

/** No file imports itself by way of others; types count, for a reader has to follow them too. */
export const noFileCyclesRule: Rule = {
  name: NAME,
  check(tree) {
    const files = new Map(tree.files.map((file) => [file.path, file]));
    const reachable = new Map(tree.files.map((file) => [file.path, reachableFrom(file, files)]));
    return tree.files.flatMap((file) => importsOnCycle(file, reachable));
  },
};

function importsOnCycle(file: ProjectFile, reachable: ReadonlyMap<string, ReadonlySet<string>>): Violation[] {
  return file.imports
    .filter(({ target }) => target && (target.path === file.path || reachable.get(target.path)?.has(file.path)))
    .map(({ target, line }) => ({ rule: NAME, file: file.path, line, message: `${target?.path ?? ''} leads back to this file` }));
}

function reachableFrom(start: ProjectFile, files: ReadonlyMap<string, ProjectTree['files'][number]>): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [start];
  for (let file = open.pop(); file; file = open.pop()) {
    for (const { target } of file.imports) {
      const next = target && !seen.has(target.path) ? files.get(target.path) : undefined;
      if (!next) continue;
      seen.add(next.path);
      open.push(next);
    }
  }
  return seen;
}
