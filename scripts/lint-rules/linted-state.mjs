import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const RULES = 'scripts/lint-rules';
const FILES = ['package.json', 'tsconfig.json', 'packages/client/tsconfig.json', 'node_modules/.package-lock.json'];

/**
 * A digest of all that a finding in a file can depend on beside that file: the sources and packages that its types come from, and the
 * project's own rules. Specs are not among it, for a rule keeps every file from depending on one. As a setting it is part of what ESLint
 * knows a cached result by.
 */
export function lintedState(root) {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const digest = createHash('sha256');
  for (const path of [...[...include, RULES].flatMap((folder) => filesBelow(root, folder)), ...FILES]) {
    digest
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return digest.digest('hex');
}

function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.spec)\.ts$|\.mts$|\.mjs$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
