import { pathToFileURL } from 'node:url';
import { compileFunction, SyntheticModule } from 'node:vm';
import { createRequire } from 'node:module';

const { default: Runtime } = createRequire(import.meta.url)('jest-runtime');

// Of this process, for all its test files.
const packages = new Map();
const sources = new Map();
let sourceMaps = new Map();
let importing = Promise.resolve();
let loader;

/**
 * Loads what is tested once for a process and not once for each test file: packages by Node itself, as the service does, and the modules of
 * `src` and `libs` from what Jest compiles. Only test files and their fixtures are each file's own, so none sees what another has left in
 * those. Loading all of Nest, TypeORM and GraphQL took two thirds of the processor time of a file that starts the service.
 *
 * It reaches into Jest's runtime, whose version is pinned; where that changes, every test fails at once.
 */
export default class SharedModulesRuntime extends Runtime {
  constructor(...parameters) {
    super(...parameters);
    const [, environment] = parameters;
    // A file that asks for globals of its own, such as timers that it may set without stopping those of the process, shares nothing.
    if (environment.getVmContext()) return;
    const { executor, esmLoader } = this;
    // Stack traces name lines of TypeScript in shared modules too, whichever file they were loaded for. Jest adds to this map as it compiles.
    const ownSourceMaps = this.getSourceMaps();
    for (const [path, map] of sourceMaps) ownSourceMaps.set(path, map);
    sourceMaps = ownSourceMaps;
    executor.compile = (source, filename) => compileFunction(source, executor.injectedModuleParameters, { filename });
    esmLoader.getContext = () => undefined;
    // Jest's way for newer versions of Node would load without asking the methods below.
    esmLoader.resolution.canResolveSync = () => false;
    // A shared module imports by the loader of the file that runs, since the one that loaded it may be over.
    loader = { dynamicImport: esmLoader.dynamicImport };
    esmLoader.dynamicImport = (...words) => loader.dynamicImport(...words);
    const loadEsmModule = esmLoader.loadEsmModule.bind(esmLoader);
    const loadCjsAsEsm = esmLoader.loadCjsAsEsm.bind(esmLoader);
    const own = new WeakSet();
    const loadSource = async (path, suffix) => {
      const known = sources.get(path);
      if (known && (known.status === 'evaluated' || own.has(known))) return known;
      const module = await loadEsmModule(path, suffix);
      own.add(module);
      sources.set(path, module);
      return module;
    };
    const isSource = isSourceBelow(this._config.rootDir);
    esmLoader.loadEsmModule = (path, suffix) => {
      if (isPackage(path)) return loadPackage(path);
      return isSource(path) ? loadSource(path, suffix) : loadEsmModule(path, suffix);
    };
    esmLoader.loadCjsAsEsm = (from, path, ...rest) => (isPackage(path) ? loadPackage(path) : loadCjsAsEsm(from, path, ...rest));
  }
}

function isPackage(path) {
  return path.includes('/node_modules/');
}

function isSourceBelow(root) {
  return (path) =>
    (path.startsWith(`${root}/src/`) || path.startsWith(`${root}/libs/`)) && !/\.(spec|fixture)\.ts$|\/test(ing)?\//.test(path);
}

function loadPackage(path) {
  const known = packages.get(path);
  if (known) return known;
  const loaded = importPackage(path);
  packages.set(path, loaded);
  return loaded;
}

async function importPackage(path) {
  // One after another: Node 20 cannot `require` an ES module that another import is still loading.
  const namespace = await (importing = importing.catch(() => undefined).then(() => import(pathToFileURL(path).href)));
  const names = Object.keys(namespace);
  const module = new SyntheticModule(names, () => names.forEach((name) => module.setExport(name, namespace[name])), { identifier: path });
  await module.link(() => undefined);
  await module.evaluate();
  return module;
}
