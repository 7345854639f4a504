// Puts what the service uses of OpenTelemetry's packages into dist/libs/tracing/sdk.js: 60 kB of their 25 MB, which the image can do without.
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const sdk = 'dist/libs/tracing/sdk.js';

await build({
  absWorkingDir: root,
  entryPoints: [sdk],
  outfile: sdk,
  // A file that is bundled already stays as it is.
  allowOverwrite: true,
  bundle: true,
  format: 'esm',
  platform: 'node',
  // As ES modules, packages leave out what nobody uses.
  mainFields: ['module', 'main'],
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
});
