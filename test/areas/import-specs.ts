import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const isSpec = globalThis.onServers ? /\.e2e\.spec\.ts$|\.servers\.int\.spec\.ts$/ : /\.(unit|int|e2e|arch)\.spec\.ts$/;
const isOfAnotherProject = globalThis.onServers ? /\.(sqlite|slow|release)\./ : /\.(servers|slow|release)\./;

/**
 * Imports the specs that the projects `specs` and `specs-servers` run one by one, so that they share what they load (docs/adr/0048).
 * @param folders of the repository
 * @param chosen which of their files, by name; all unless given
 */
export async function importSpecs(folders: readonly string[], chosen = /./): Promise<void> {
  for (const folder of folders) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort();
    for (const file of files) {
      if (isSpec.test(file) && !isOfAnotherProject.test(file) && chosen.test(file)) await import(join(root, folder, file));
    }
  }
}
