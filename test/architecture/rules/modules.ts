import { compositionFolders, domainImports, domainTypes, persistenceNames, transportLayers } from '../layout.js';
import type { ProjectFile, ProjectTree, ResolvedImport } from '../project-tree.js';
import { importRule, type Rule } from '../rule.js';
import { describeCycle, pathsAlong } from './cycles.js';

const COMMANDS = /^src\/[^/]+\/(?:cli|command-line)\/[^/]+\.ts$/;
const MODULE_FILE = /^src\/([^/]+)\/[^/]+\.module\.ts$/;
const TYPEORM = /^(?:@nestjs\/)?typeorm(?:\/|$)/;

export const moduleRules: readonly Rule[] = [
  /**
   * A folder of `src/` is reached from outside through its `index.ts`; a composition folder without one, by the files of `src/` itself.
   * Commands are reached past the index, by what lists them and by other commands: the command line gives help without the application.
   */
  {
    name: 'source-through-index',
    check(tree) {
      const indexed = unitsWithIndex(tree);
      return importRule('source-through-index', ({ target }, { place, path }) => {
        if (place.area !== 'src' || target?.place.area !== 'src' || ['', place.unit].includes(target.place.unit)) return undefined;
        const composes = place.unit === '' || compositionFolders.includes(place.unit);
        if (COMMANDS.test(target.path) && (composes || COMMANDS.test(path))) return undefined;
        const { unit, isIndex } = target.place;
        if (isIndex) return undefined;
        if (indexed.has(unit) || !compositionFolders.includes(unit)) return `import src/${unit}/index.ts instead of ${target.path}`;
        return place.unit === '' || place.isSpec ? undefined : `only files of src/ itself and tests may import ${target.path}`;
      }).check(tree);
    },
  },

  /**
   * A folder of `src/` with an `index.ts` and a `.module.ts` is a module, unless it is a composition folder. Of `src/` a module imports
   * other modules alone, and none that leads back to it.
   */
  {
    name: 'module-dependencies',
    check(tree) {
      const modules = modulesOf(tree);
      const isMember = ({ place }: ProjectFile) => place.area === 'src' && modules.has(place.unit) && !place.isSpec;
      const steps = tree.files.filter(isMember).flatMap(({ place: { unit: from }, imports }) =>
        imports.flatMap(({ target }) => {
          return target?.place.area === 'src' && target.place.unit !== from ? [{ from, to: target.place.unit }] : [];
        }),
      );
      const findPath = pathsAlong(steps);
      return importRule('module-dependencies', ({ target }, file) => {
        if (!isMember(file) || target?.place.area !== 'src' || target.place.unit === file.place.unit) return undefined;
        if (!modules.has(target.place.unit)) return `a module may not import ${target.path}, which puts modules together`;
        const back = findPath(target.place.unit, file.place.unit);
        return back && describeCycle(file.place.unit, back);
      }).check(tree);
    },
  },

  /** The domain imports its own folder, types of stored events and of other modules, errors and pure functions of Node; no package. */
  importRule('pure-domain', (one, file) => {
    const { place } = file;
    if (place.area !== 'src' || place.layer !== 'domain' || place.isSpec || isPure(one, file)) return undefined;
    return `the domain may not import ${one.specifier}${one.typeOnly ? '' : ' at run time'}`;
  }),

  /** What speaks REST, GraphQL or command line reaches data through the command and query bus only. */
  importRule('transport-through-buses', (one, { place }) => {
    if (place.area !== 'src' || !transportLayers.includes(place.layer) || place.isSpec) return undefined;
    const detour = detourOf(one, place.unit);
    return detour && `${place.layer}/ talks to the command and query bus only, not to ${detour}`;
  }),
];

function unitsWithIndex({ files }: ProjectTree): ReadonlySet<string> {
  return new Set(files.flatMap(({ place }) => (place.area === 'src' && place.isIndex ? [place.unit] : [])));
}

function modulesOf(tree: ProjectTree): ReadonlySet<string> {
  const indexed = unitsWithIndex(tree);
  const units = tree.files.flatMap(({ path }) => MODULE_FILE.exec(path)?.[1] ?? []);
  return new Set(units.filter((unit) => indexed.has(unit) && !compositionFolders.includes(unit)));
}

function isPure({ target, specifier, names, typeOnly }: ResolvedImport, { place }: ProjectFile): boolean {
  if (specifier === domainTypes && typeOnly) return true;
  const pure = domainImports[specifier];
  if (pure) return names.length > 0 && names.every((name) => pure.includes(name));
  if (target?.place.area !== 'src') return false;
  return target.place.unit === place.unit ? target.place.layer === 'domain' : typeOnly && target.place.isIndex;
}

function detourOf({ target, specifier, names, typeOnly }: ResolvedImport, unit: string): string | undefined {
  if (target?.place.area === 'src' && target.place.unit === unit && target.place.layer === 'read-model') return 'the read model';
  if (TYPEORM.test(specifier) || specifier === '#libs/database') return specifier;
  return typeOnly ? names.find((name) => name.endsWith('Repository')) : names.find((name) => persistenceNames.test(name));
}
