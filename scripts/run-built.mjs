// Runs the built service or command line in this process. Never builds: that would change files under a running service.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [node, , name = '', ...rest] = process.argv;
const bundle = new URL(`../dist/programs/${name}.js`, import.meta.url);
// While sources are compiled at each change (npm run start:dev) there is no bundle of them.
const entry = existsSync(bundle) ? bundle : new URL(`../dist/src/${name}.js`, import.meta.url);

if (name !== 'main' && name !== 'cli') {
  console.error('Usage: node scripts/run-built.mjs main|cli [arguments]');
  process.exitCode = 1;
} else if (!existsSync(entry)) {
  console.error('Nothing is built yet: run "npm run build" first.');
  process.exitCode = 1;
} else {
  process.argv = [node, fileURLToPath(entry), ...rest];
  await import(entry).catch((error) => {
    // A first build was ended before its end.
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    console.error(`What is built is not complete: run "npm run build" again. (${error.message})`);
    process.exitCode = 1;
  });
}
