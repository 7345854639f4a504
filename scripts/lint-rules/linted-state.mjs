import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const RULES = 'scripts/lint-rules';
const FILES = ['tsconfig.json', 'packages/client/tsconfig.json', 'node_modules/.package-lock.json'];

/**
 * Digest of what every finding depends on besides the sources: the installed packages, the settings of the compiler and the project's own
 * rules. As a setting it is part of the key of ESLint's cache. Sources are not in it: each edit would lint all files again. A finding that
 * an edit causes in another, unchanged file is reported where there is no cache, as in CI, or by the compiler.
 */
export function lintedState(root) {
  const digest = createHash('sha256');
  for (const path of [...readdirSync(join(root, RULES)).map((name) => join(RULES, name)), ...FILES]) {
    digest.update(readFileSync(join(root, path)));
  }
  return digest.digest('hex');
}
