// Generates modules in a clean clone, builds, checks and tests it with them on both databases, and takes them out again.
// Usage: node scripts/check-generator.mjs
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './node-versions/run.mjs';

const MODULES = ['shelters', 'adoption-events'];
const TESTED = MODULES.map((name) => `src/${name}`);

const root = join(import.meta.dirname, '..');
const scratch = await mkdtemp(join(tmpdir(), 'adoption-generator-check-'));
const tree = join(scratch, 'tree');

/** Runs a program in the clone; what it prints is shown. */
async function inTree(words) {
  console.log(`-- ${words.join(' ')}`);
  const [program, ...parameters] = words;
  const child = spawn(program, parameters, { cwd: tree, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  assert.equal(code, 0, `the exit code of ${words.join(' ')}`);
}

const generate = (...words) => inTree(['npm', 'run', '--silent', 'generate', '--', ...words]);
const check = () => inTree(['npm', 'run', '--silent', 'check']);
const test = (folders) => inTree(['npm', 'test', '--silent', '--', ...folders]);

async function changes() {
  return (await run('git', ['status', '--porcelain'], { cwd: tree })).stdout;
}

async function takeOut() {
  for (const folder of TESTED) await rm(join(tree, folder), { recursive: true });
  for (const name of ['modules.ts', 'commands.ts']) {
    const list = join(tree, 'src', name);
    const lines = (await readFile(list, 'utf8')).split('\n');
    await writeFile(list, lines.filter((line) => !MODULES.some((module) => line.includes(`'./${module}/`))).join('\n'));
  }
  await inTree(['npm', 'run', '--silent', 'documents']);
}

try {
  await run('git', ['clone', '--quiet', '--local', root, tree]);
  await cp(join(root, 'node_modules'), join(tree, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  await generate('module', 'shelters');
  await generate('module', 'adoption-events');
  await generate('command', 'close-shelter', '--module', 'shelters');
  await generate('query', 'find-shelters', '--module', 'shelters');
  await generate('event', 'shelter-closed', '--module', 'shelters');
  await check();
  await test(TESTED);

  await takeOut();
  assert.equal(await changes(), '', 'what is left of the modules');
  console.log('Modules were generated, tested and taken out without a trace.');
} finally {
  await rm(scratch, { recursive: true, force: true });
}
