// Writes what is published: one module, since each file is compressed by itself on its way to a browser, and the types.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'rolldown';

const folder = import.meta.dirname;

rmSync(join(folder, 'dist'), { recursive: true, force: true });
await build({
  cwd: folder,
  input: 'src/index.ts',
  transform: { target: 'es2022' },
  output: {
    file: 'dist/index.js',
    format: 'esm',
    // With the sources, so that a debugger and `--enable-source-maps` show these.
    sourcemap: true,
    // Names stay, so that a stack trace shows the functions.
    minify: { compress: true, mangle: false, codegen: true },
  },
});
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', folder, '--noEmit', 'false', '--declaration', '--emitDeclarationOnly'], {
  stdio: 'inherit',
});
