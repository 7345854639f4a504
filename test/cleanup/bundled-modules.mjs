import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { build } from 'rolldown';
import { esmExternalRequirePlugin } from 'rolldown/plugins';

/** Packages that are CommonJS and require ES modules, which Jest cannot do before Node 24.9. Names what stays outside of the bundle. */
const PACKAGES = { '@nestjs/throttler': ['@nestjs/common', '@nestjs/core'], '@fastify/static': [] };

/** Bundles each of them as an ES module, which `jest.config.mjs` maps its name to. */
export async function writeBundledModules(root) {
  for (const [name, external] of Object.entries(PACKAGES)) await writeModule(root, name, external);
}

async function writeModule(root, name, external) {
  const exported = Object.keys(createRequire(import.meta.url)(name));
  const entry = {
    name: 'entry',
    resolveId: (id) => (id === 'entry' ? id : undefined),
    load: (id) => (id === 'entry' ? `export { ${exported.join(', ')} } from ${JSON.stringify(name)};` : undefined),
  };
  await build({
    cwd: root,
    input: 'entry',
    platform: 'node',
    plugins: [entry, esmExternalRequirePlugin({ external })],
    output: { file: `node_modules/.cache/${basename(name)}-module.mjs`, format: 'esm' },
    logLevel: 'warn',
  });
}
