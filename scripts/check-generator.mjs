// Generates modules in a clean clone, builds, checks and tests it with them on both databases, and takes them out again.
// Usage: node scripts/check-generator.mjs [20 22 24.18 ...]; on the Node that runs this everything, on the others build and tests: what
// checks find does not depend on it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { installNode, rebuildNativeModule } from './node-versions/other-node.mjs';
import { run } from './node-versions/run.mjs';

const MODULES = ['shelters', 'adoption-events'];
const TESTED = MODULES.map((name) => `src/${name}`);

const root = join(import.meta.dirname, '..');
const scratch = await mkdtemp(join(tmpdir(), 'adoption-generator-check-'));
const tree = join(scratch, 'tree');

/** Runs a program in the clone; what it prints is shown. */
async function inTree(words, node = process.execPath) {
  console.log(`-- ${words.join(' ')}`);
  const [program, ...parameters] = words;
  const path = [dirname(node), process.env.PATH].join(delimiter);
  const child = spawn(program, parameters, { cwd: tree, stdio: 'inherit', env: { ...process.env, PATH: path } });
  const [code] = await once(child, 'exit');
  assert.equal(code, 0, `the exit code of ${words.join(' ')}`);
}

const generate = (...words) => inTree(['npm', 'run', '--silent', 'generate', '--', ...words]);
const check = () => inTree(['npm', 'run', '--silent', 'check']);
const test = (folders, node) => inTree(['npm', 'test', '--silent', '--', ...folders], node);

async function changes() {
  return (await run('git', ['status', '--porcelain'], { cwd: tree })).stdout;
}

async function takeOut(node) {
  for (const folder of TESTED) await rm(join(tree, folder), { recursive: true });
  for (const name of ['modules.ts', 'commands.ts']) {
    const list = join(tree, 'src', name);
    const lines = (await readFile(list, 'utf8')).split('\n');
    await writeFile(list, lines.filter((line) => !MODULES.some((module) => line.includes(`'./${module}/`))).join('\n'));
  }
  await inTree(['npm', 'run', '--silent', 'documents'], node);
}

try {
  await run('git', ['clone', '--quiet', '--local', root, tree]);
  await cp(join(root, 'node_modules'), join(tree, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  await generate('module', 'shelters');
  await check();
  await test(['src/shelters']);

  await generate('module', 'adoption-events');
  await generate('command', 'close-shelter', '--module', 'shelters');
  await generate('query', 'find-shelters', '--module', 'shelters');
  await generate('event', 'shelter-closed', '--module', 'shelters');
  await check();
  await test(TESTED);

  // The native module in the clone is of the Node that it was last built for.
  let current = process.execPath;
  for (const major of process.argv.slice(2).filter((each) => each !== process.versions.node.split('.')[0])) {
    const { node, headers } = await installNode(major, join(scratch, `node-${major}`));
    await rebuildNativeModule(node, headers, tree);
    await test(TESTED, node);
    current = node;
  }

  await takeOut(current);
  assert.equal(await changes(), '', 'what is left of the modules');
  console.log(
    `Modules were generated, tested on Node ${process.version} ${process.argv.slice(2).join(', ')} and taken out without a trace.`,
  );
} finally {
  await rm(scratch, { recursive: true, force: true });
}
