import { join } from 'node:path';
import { moduleChanges } from './generate-module.mjs';
import { partChanges, partKinds } from './generate-part.mjs';
import { alone } from './lock.mjs';
import { writeChanges } from './write-changes.mjs';

const root = join(import.meta.dirname, '..');

/** What can be generated. */
export const kinds = ['module', ...partKinds];

/**
 * Writes a module or a part of one, or nothing at all.
 * @param options `kind` and `name` of it; `singular` of a module's name; `module` that a part is for; `dryRun` to write nothing
 * @returns the paths of what was written, or would be
 * @throws Refusal with what would be right
 */
export async function generate({ kind, dryRun, ...options }) {
  return alone(join(root, 'dist', '.generator.lock'), async () => {
    const changes = kind === 'module' ? await moduleChanges(root, options) : await partChanges(root, { kind, ...options });
    if (!dryRun) writeChanges(root, changes);
    return changes.map(({ path }) => path);
  });
}
