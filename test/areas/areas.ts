import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders, or beginnings of paths, by the area that runs their specs; the longest one that fits a spec counts. */
export const AREAS = {
  contracts: ['test/contract'],
  'event-store': ['test/contract/event-store'],
  libraries: ['libs'],
  modules: ['src/auth', 'src/events', 'src/orders', 'src/pets', 'src/rate-limiting', 'src/webhooks', 'test/e2e/rate-limit'],
  project: [
    ...['generator', 'src/bootstrap', 'src/config', 'src/console', 'src/operations'],
    ...['test/architecture', 'test/areas', 'test/client', 'test/deployment', 'test/documents', 'test/reliability'],
  ],
  service: ['test/e2e'],
} as const;

type Area = keyof typeof AREAS;

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
export async function importArea(area: Area): Promise<void> {
  for (const file of listSpecs()) if (findArea(file) === area) await import(join(root, file));
}

/** Returns the area that runs a spec, undefined if none does. */
export function findArea(file: string): Area | undefined {
  const fitting = Object.entries(AREAS).flatMap(([area, beginnings]) =>
    beginnings.filter((beginning) => file.startsWith(beginning)).map((beginning) => ({ area: area as Area, length: beginning.length })),
  );
  return fitting.sort((one, other) => other.length - one.length)[0]?.area;
}
