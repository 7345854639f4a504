import { compositionFolders } from '../layout.js';
import type { ProjectFile } from '../project-tree.js';
import { reachableFrom } from '../reachable.js';
import { importRule, type Rule } from '../rule.js';

const NAME = 'module-dependencies';
const MODULE_FILE = /^src\/([^/]+)\/[^/]+\.module\.ts$/;

/**
 * A folder of `src/` with an `index.ts` and a `.module.ts` is a module, unless the layout names it as one that puts modules together.
 * Of `src/` a module imports other modules alone, and none that leads back to it.
 */
export const moduleDependenciesRule: Rule = {
  name: NAME,
  check(tree) {
    const modules = modulesOf(tree.files);
    const members = tree.files.filter(({ place }) => place.area === 'src' && modules.has(place.unit) && !place.isSpec);
    const imported = reachableFrom(importsBetween(modules, members));
    return importRule(
      NAME,
      (file) => members.includes(file),
      ({ target }, { place }) => {
        if (target?.place.area !== 'src' || target.place.unit === place.unit) return undefined;
        if (!modules.has(target.place.unit)) return `a module may not import ${target.path}, which puts modules together`;
        return imported.get(target.place.unit)?.has(place.unit) ? `${target.place.unit} leads back to ${place.unit}` : undefined;
      },
    ).check(tree);
  },
};

function modulesOf(files: readonly ProjectFile[]): ReadonlySet<string> {
  const withIndex = new Set(files.flatMap(({ place }) => (place.area === 'src' && place.isIndex ? [place.unit] : [])));
  const isModule = (unit: string) => withIndex.has(unit) && !compositionFolders.includes(unit);
  return new Set(files.flatMap(({ path }) => MODULE_FILE.exec(path)?.[1] ?? []).filter(isModule));
}

function importsBetween(modules: ReadonlySet<string>, members: readonly ProjectFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map([...modules].map((unit) => [unit, new Set<string>()]));
  for (const { place, imports } of members) {
    for (const { target } of imports) {
      if (target?.place.area === 'src' && target.place.unit !== place.unit) graph.get(place.unit)?.add(target.place.unit);
    }
  }
  return graph;
}
