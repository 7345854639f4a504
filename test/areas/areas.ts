import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders, or beginnings of paths, by the area that runs their specs. Each takes about as long as the others. */
export const AREAS = {
  client: ['test/client'],
  contracts: ['test/contract'],
  events: ['src/events', 'src/webhooks'],
  keys: ['src/auth', 'src/keys', 'src/rate-limiting'],
  libraries: ['libs'],
  orders: ['src/orders', 'src/pets'],
  project: [
    ...['generator', 'src/bootstrap', 'src/config', 'src/console', 'src/operations'],
    ...['test/architecture', 'test/areas', 'test/builds', 'test/deployment', 'test/documents', 'test/reliability'],
  ],
  service: ['test/e2e'],
} as const;

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const isSpec = globalThis.onServers ? /\.e2e\.spec\.ts$|\.servers\.int\.spec\.ts$/ : /\.(unit|int|e2e|arch)\.spec\.ts$/;
const isOfAnotherProject = globalThis.onServers ? /\.(sqlite|slow|release)\./ : /\.(servers|slow|release)\./;

/** Returns the specs that the project runs one by one as `specs` or `specs-servers`, as paths from the root. */
export function listSpecs(): readonly string[] {
  return ['generator', 'libs', 'src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file))
      .filter((file) => isSpec.test(file) && !isOfAnotherProject.test(file) && !file.includes('node_modules'))
      .sort(),
  );
}

/** Imports the specs of an area, so that they share what they load (docs/adr/0048). */
export async function importArea(area: keyof typeof AREAS): Promise<void> {
  for (const file of listSpecs()) if (isOfArea(file, area)) await import(join(root, file));
}

export function isOfArea(file: string, area: keyof typeof AREAS): boolean {
  return AREAS[area].some((beginning) => file.startsWith(beginning));
}
