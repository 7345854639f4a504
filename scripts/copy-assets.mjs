// Puts the assets that nest-cli.json names where `nest build` puts them: below dist, as they stand below the project.
import { cpSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const { sourceRoot, compilerOptions } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8'));

for (const asset of compilerOptions.assets) {
  const file = join(root, sourceRoot, asset);
  cpSync(file, join(root, 'dist', relative(root, file)));
}
