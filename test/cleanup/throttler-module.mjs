import { createRequire } from 'node:module';
import { build } from 'rolldown';
import { esmExternalRequirePlugin } from 'rolldown/plugins';

const PACKAGE = '@nestjs/throttler';
const FILE = 'node_modules/.cache/throttler-module.mjs';

/** Bundles `@nestjs/throttler` as an ES module: it is CommonJS and requires ES modules, which Jest cannot do before Node 24.9. */
export async function writeThrottlerModule(root) {
  const names = Object.keys(createRequire(import.meta.url)(PACKAGE));
  const entry = {
    name: 'entry',
    resolveId: (id) => (id === 'entry' ? id : undefined),
    load: (id) => (id === 'entry' ? exportAll(names) : undefined),
  };
  await build({
    cwd: root,
    input: 'entry',
    platform: 'node',
    plugins: [entry, esmExternalRequirePlugin({ external: ['@nestjs/common', '@nestjs/core'] })],
    output: { file: FILE, format: 'esm' },
    logLevel: 'warn',
  });
}

function exportAll(names) {
  return `export { ${names.join(', ')} } from ${JSON.stringify(PACKAGE)};`;
}
