import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

/** A place in a source file, and what stands there in another build. */
interface SourceChange {
  readonly replace: string;
  readonly by: string;
}

/** Changes by the path of the source file. */
export type SourceChanges = Readonly<Record<string, readonly SourceChange[]>>;

/** Copies what is built here, as long as the test runs. Returns where that is, laid out as this folder is. */
export async function copyBuild(): Promise<{ readonly root: string }> {
  const root = makeTemporaryFolder('build');
  for (const name of ['package.json', 'scripts', 'dist']) await cp(name, join(root, name), { recursive: true });
  await symlink(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
  return { root };
}

/** Makes another build, such as one of the next version: what is built here, with changed sources compiled into it. */
export async function makeChangedBuild(changes: SourceChanges): Promise<string> {
  const { root } = await copyBuild();
  // The programs as they are without the change.
  await rm(join(root, 'dist/programs'), { recursive: true });
  for (const [path, ofFile] of Object.entries(changes)) await compile(root, path, ofFile);
  return root;
}

async function compile(root: string, path: string, changes: readonly SourceChange[]): Promise<void> {
  let source = await readFile(path, 'utf8');
  for (const { replace, by } of changes) {
    const parts = source.split(replace);
    // The other build has to follow the sources.
    if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} places that read: ${replace}`);
    source = parts.join(by);
  }
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile('tsconfig.json', ts.sys.readFile).config, ts.sys, '.');
  // One file alone does not tell that it belongs to a package of modules.
  const compilerOptions = { ...options, module: ts.ModuleKind.ES2022, moduleResolution: ts.ModuleResolutionKind.Bundler, sourceMap: false };
  const { outputText } = ts.transpileModule(source, { compilerOptions, fileName: path });
  await writeFile(join(root, 'dist', path.replace(/\.ts$/, '.js')), outputText);
}
