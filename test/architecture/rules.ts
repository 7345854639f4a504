import { compositionFolders, domainImports, domainTypes, libraryRows, persistenceNames, transportLayers } from './layout.js';
import type { Import, ProjectFile } from './project-tree.js';

/** Returns what is wrong with an import of a file, undefined if nothing is. */
type Rule = (one: Import, file: ProjectFile, tree: readonly ProjectFile[]) => string | undefined;

const TEST_PACKAGE = /^(?:@jest\/globals|fast-check|jest|#libs\/testing)$/;
const PACKAGE = /^packages\/[^/]+\//;
const COMMANDS = /^src\/[^/]+\/(?:cli|command-line)\/[^/]+\.ts$/;
const TYPEORM = /^(?:@nestjs\/)?typeorm(?:\/|$)/;

export const rules: Readonly<Record<string, Rule>> = {
  /** A library is imported as `#libs/NAME` from outside and by relative paths from within. */
  'libraries-through-index': ({ target, specifier }, { area, unit }) => {
    if (target?.area !== 'libs') return undefined;
    const isRight = area === 'libs' && unit === target.unit ? specifier.startsWith('.') : /^#libs\/[a-z-]+$/.test(specifier);
    return isRight ? undefined : `${specifier} is imported neither as #libs/NAME nor from within`;
  },

  /** A library imports no source, and only libraries of earlier rows of the layout. */
  'library-direction': ({ target }, { area, unit, isSpec }) => {
    if (area !== 'libs' || !target) return undefined;
    if (target.area === 'src') return 'a library knows nothing of the service';
    if (isSpec || target.area !== 'libs' || target.unit === unit) return undefined;
    const row = (name: string) => libraryRows.findIndex((names) => names.includes(name));
    return row(target.unit) < row(unit) && row(target.unit) >= 0 ? undefined : `${unit} does not stand above ${target.unit}`;
  },

  /** What is built never imports what is only there for tests. */
  'no-test-code': ({ target, specifier }, { area, unit, isSpec }) => {
    if (isSpec || (area === 'libs' && unit === 'testing')) return undefined;
    const forTests = target?.area === 'test' || target?.isSpec === true || TEST_PACKAGE.test(specifier);
    return forTests ? `${specifier} is there for tests only` : undefined;
  },

  /** What is published for others takes nothing but its own files, and the service takes nothing of it. */
  'packages-alone': ({ target, specifier }, { path, isSpec }) => {
    const [own] = PACKAGE.exec(path) ?? [];
    if (own !== undefined) return target?.path.startsWith(own) ? undefined : `${specifier} is not part of ${own}`;
    const isPublished = PACKAGE.test(target?.path ?? '') || specifier.startsWith('@adoption/');
    return isPublished && !isSpec ? `${specifier} is there for others` : undefined;
  },

  /** A folder of `src/` is reached through its index; one that composes without an index by files of `src/`; commands by commands too. */
  'source-through-index': ({ target }, { area, unit, isSpec, path }, tree) => {
    if (area !== 'src' || target?.area !== 'src' || target.isIndex || ['', unit].includes(target.unit)) return undefined;
    const composes = unit === '' || compositionFolders.includes(unit);
    if (COMMANDS.test(target.path) && (composes || COMMANDS.test(path))) return undefined;
    if (hasIndex(tree, target.unit) || !compositionFolders.includes(target.unit)) return `import src/${target.unit}/index.ts`;
    return unit === '' || isSpec ? undefined : `only files of src/ itself and tests may import ${target.path}`;
  },

  /** Of `src/` a module imports other modules alone, and none that leads back to it. */
  'module-dependencies': ({ target }, file, tree) => {
    const isModule = (unit: string) => isModuleOf(tree, unit);
    if (file.area !== 'src' || file.isSpec || !isModule(file.unit) || target?.area !== 'src' || target.unit === file.unit) return undefined;
    if (!isModule(target.unit)) return `a module may not import ${target.path}, which puts modules together`;
    return modulesBehind(tree, target.unit).has(file.unit) ? `${target.unit} leads back to ${file.unit}` : undefined;
  },

  /** The domain imports its own folder, types of stored events and of other modules, and what `domainImports` names. */
  'pure-domain': ({ target, specifier, names, typeOnly }, { area, unit, layer, isSpec }) => {
    if (area !== 'src' || layer !== 'domain' || isSpec || (specifier === domainTypes && typeOnly)) return undefined;
    const pure = domainImports[specifier];
    const isOwn = target?.area === 'src' && (target.unit === unit ? target.layer === 'domain' : typeOnly && target.isIndex);
    const isPure = pure ? names.length > 0 && names.every((name) => pure.includes(name)) : isOwn;
    return isPure ? undefined : `the domain may not import ${specifier}`;
  },

  /** What speaks REST, GraphQL or command line reaches data through the command and query bus only. */
  'transport-through-buses': ({ target, specifier, names, typeOnly }, { area, unit, layer, isSpec }) => {
    if (area !== 'src' || !transportLayers.includes(layer) || isSpec) return undefined;
    const isReadModel = target?.area === 'src' && target.unit === unit && target.layer === 'read-model';
    const isDetour = isReadModel || TYPEORM.test(specifier) || specifier === '#libs/database';
    const name = names.find((each) => (typeOnly ? each.endsWith('Repository') : persistenceNames.test(each)));
    return isDetour || name ? `${layer}/ talks to the command and query bus only, not to ${name ?? specifier}` : undefined;
  },
};

function hasIndex(tree: readonly ProjectFile[], unit: string): boolean {
  return tree.some((file) => file.area === 'src' && file.unit === unit && file.isIndex);
}

/** A folder of `src/` with an index and a `.module.ts` is a module, unless it puts modules together. */
function isModuleOf(tree: readonly ProjectFile[], unit: string): boolean {
  const hasModule = tree.some(({ path }) => path.startsWith(`src/${unit}/`) && path.endsWith('.module.ts'));
  return hasModule && hasIndex(tree, unit) && !compositionFolders.includes(unit);
}

function modulesBehind(tree: readonly ProjectFile[], unit: string): ReadonlySet<string> {
  const found = new Set([unit]);
  // A set is walked on to what is added on the way.
  for (const next of found) {
    const files = tree.filter((file) => file.area === 'src' && file.unit === next && !file.isSpec);
    for (const { target } of files.flatMap(({ imports }) => imports)) {
      if (target?.area === 'src' && isModuleOf(tree, target.unit)) found.add(target.unit);
    }
  }
  return found;
}
