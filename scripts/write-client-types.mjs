// Writes packages/client/src/document.ts from docs/reference/openapi.json; with --check it only says whether that has drifted.
// Usage: node scripts/write-client-types.mjs [--check] [DOCUMENT [TARGET]]
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { renderClientTypes } from './client-types/render-client-types.mjs';

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean', default: false } } });
const [documentPath = join(root, 'docs/reference/openapi.json'), target = join(root, 'packages/client/src/document.ts')] = positionals;

const rendered = renderClientTypes(JSON.parse(await readFile(documentPath, 'utf8')));
const text = await format(rendered, { ...(await resolveConfig(join(root, 'packages/client/src/document.ts'))), parser: 'typescript' });

if (!values.check) {
  await writeFile(target, text);
} else if ((await readFile(target, 'utf8').catch(() => undefined)) !== text) {
  console.error('packages/client/src/document.ts is not what docs/reference/openapi.json makes: "npm run documents" writes it.');
  process.exitCode = 1;
}
