import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { finished } from '../e2e/built-service.fixture.js';

const execute = promisify(execFile);
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const STRICTEST = {
  ...{ target: 'ES2022', lib: ['ES2022'], module: 'NodeNext', moduleResolution: 'NodeNext', noEmit: true },
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
  ...{ types: ['node'], typeRoots: [join(process.cwd(), 'node_modules', '@types')] },
};

/** How long that may take on a machine with other work. */
export const PACKING_MILLISECONDS = 300_000;

/** A project of somebody else that has installed the client as it is published. */
export interface ClientProject {
  readonly folder: string;
  /** What was installed. */
  readonly installed: string;
  /** The paths in the archive. */
  readonly packed: readonly string[];
  /** Writes a file of the project. */
  write(name: string, text: string): Promise<void>;
  /** Checks the types of files, by the strictest settings. @returns what the compiler printed, nothing; rejects with its errors */
  compile(files: readonly string[]): Promise<string>;
  /** Runs a program in it. @returns standard output; rejects with all that was printed when it fails */
  run(program: string, words: readonly string[], environment?: Readonly<Record<string, string>>): Promise<string>;
}

/** Packs the client in a copy, so that several may do so at once, and installs it in an empty project. It ends with the test or the file. */
export async function createClientProject(): Promise<ClientProject> {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-client-'));
  closeAtEnd(() => rm(folder, { recursive: true }));
  const copy = join(folder, 'clone', 'packages', 'client');
  await cp('packages/client', copy, { recursive: true, filter: (path) => !path.endsWith('dist') });
  await symlink(resolve('node_modules'), join(folder, 'clone', 'node_modules'));
  const { stdout } = await execute('npm', ['pack', '--json'], { cwd: copy });
  // npm 12 names the package before what it says of it.
  const [archive] = Object.values(JSON.parse(stdout) as Record<string, { filename: string; files: { path: string }[] }>);
  if (!archive) throw new Error(`Nothing was packed: ${stdout}`);
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', join(copy, archive.filename)], { cwd: project });
  const write = (name: string, text: string) => writeFile(join(project, name), text);
  const run: ClientProject['run'] = async (program, words, environment = {}) => {
    const child = spawn(program, words, { cwd: project, env: { ...process.env, ...environment } });
    const { code, stdout: printed, stderr } = await finished(child);
    if (code !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${code}: ${printed}${stderr}`);
    return printed;
  };
  return {
    folder: project,
    installed: join(project, 'node_modules', '@adoption', 'client'),
    packed: archive.files.map(({ path }) => path).sort(),
    write,
    run,
    compile: async (files) => {
      await write('tsconfig.json', JSON.stringify({ compilerOptions: STRICTEST, files }));
      return run(process.execPath, [compiler, '-p', '.']);
    },
  };
}
