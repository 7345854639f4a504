import { copyFile, cp, mkdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { run } from './run.mjs';

const root = join(import.meta.dirname, '..', '..');

/** Puts the newest Node of a version such as 22 or 24.18 into a folder, from the npm package that carries it with its headers. */
export async function installNode(version, folder) {
  const name = `node-${process.platform}-${process.arch}`;
  await mkdir(folder, { recursive: true });
  await run('npm', ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts', `${name}@${version}`]);
  const headers = join(folder, 'node_modules', name);
  return { node: join(headers, 'bin', 'node'), headers };
}

/** Copies what is built, with the packages it needs at run time and no native module yet. */
export async function copyBuiltService(root, folder) {
  await mkdir(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json', 'dist']) await cp(join(root, name), join(folder, name), { recursive: true });
  await run('npm', ['ci', '--omit=dev', '--ignore-scripts'], { cwd: folder });
}

const NATIVE_MODULE = join('node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node');

/** Puts the native SQLite module for a Node version into a folder: compiled against that version's own headers, once for all folders. */
export async function rebuildNativeModule(node, headers, folder) {
  const { stdout: version } = await run(node, ['--version']);
  const { version: ofModule } = JSON.parse(await readFile(join(root, 'node_modules', 'better-sqlite3', 'package.json'), 'utf8'));
  const compiled = join(root, 'node_modules', '.cache', 'better-sqlite3', `${ofModule}-${version.trim()}`);
  const target = join(folder, NATIVE_MODULE);
  await mkdir(dirname(target), { recursive: true });
  if (await copied(join(compiled, 'better_sqlite3.node'), target)) return;
  const path = [dirname(node), process.env.PATH].join(delimiter);
  await run('npm', ['rebuild', 'better-sqlite3', '--build-from-source'], { cwd: folder, env: { PATH: path, npm_config_nodedir: headers } });
  await mkdir(compiled, { recursive: true });
  await copyFile(target, join(compiled, 'better_sqlite3.node'));
}

async function copied(from, to) {
  return copyFile(from, to).then(
    () => true,
    (error) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
