import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.mjs';

const PROGRAM = 'use-client.mjs';

/** Packs the client and installs it in an empty project in a folder that is not there yet, beside a program that uses it. @returns the folder */
export async function createClientProject(root, folder) {
  await mkdir(folder);
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(root, 'packages', 'client') });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, stdout.trim().split('\n').at(-1))], { cwd: folder });
  await copyFile(join(import.meta.dirname, PROGRAM), join(folder, PROGRAM));
  return folder;
}
