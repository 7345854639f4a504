// Generates modules in a clean clone, builds, checks and tests it with them on both databases, and takes them out again.
// Usage: node scripts/check-generator.mjs [--one]. With --one only one module is generated, compiled and tested.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Each by its name; the other one has commands of each form and fields of each kind. */
const ALL_MODULES = [
  ['shelters'],
  [
    'dog-walks',
    ...['begin=begun=out', 'finish', 'check-in', 'hold=held=void', 'move:startsAt,mood', 'note:note,fee'].flatMap((command) => [
      '--command',
      command,
    ]),
    ...['--internal', 'miss==void', '--state', 'stage'],
    ...[
      'walkerId:int64',
      'dueAt:time',
      'startsAt:time',
      'endsAt:time?',
      'urgent:boolean',
      'muzzled:boolean?',
      'title:text',
      'note:text(1)?',
      'fee:int64?',
    ]
      .concat('size:enum(small,very-large)', 'mood:enum(good,bad)?')
      .flatMap((field) => ['--field', field]),
  ],
];
const onlyOne = process.argv.includes('--one');
const MODULES = onlyOne ? ALL_MODULES.slice(0, 1) : ALL_MODULES;
const FIELDS = ['foundedAt:time', 'motto', 'isHeated:boolean'];
const FOLDERS = MODULES.map(([name]) => `src/${name}`);
const TESTED = [...FOLDERS, 'test/e2e/openapi-contract', 'test/e2e/closed-routes'];
const LISTS = ['src/modules.ts', 'src/commands.ts', 'packages/client/src/client.ts', 'packages/client/src/index.ts'];
const LINE_OF_MODULE = /\bshelters\b|\bdog-?walks\b/i;

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

function changes() {
  return execFileSync('git', ['status', '--porcelain'], { cwd: tree, encoding: 'utf8' });
}

async function generateParts() {
  await generate('command', 'close-shelter', '--module', 'shelters');
  await generate('query', 'find-shelters', '--module', 'shelters');
  await generate('event', 'shelter-closed', '--module', 'shelters');
}

async function takeOut() {
  for (const folder of FOLDERS) await rm(join(tree, folder), { recursive: true });
  for (const [name] of MODULES) await rm(join(tree, 'packages/client/src', `${name}.ts`));
  for (const path of LISTS) {
    const lines = (await readFile(join(tree, path), 'utf8')).split('\n');
    await writeFile(join(tree, path), lines.filter((line) => !LINE_OF_MODULE.test(line)).join('\n'));
  }
  await inTree(['npm', 'run', '--silent', 'documents']);
}

try {
  execFileSync('git', ['clone', '--quiet', '--local', root, tree]);
  await cp(join(root, 'node_modules'), join(tree, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  for (const words of MODULES) await generate('module', ...words);
  for (const field of onlyOne ? FIELDS.slice(0, 1) : FIELDS) await generate('field', field, '--module', 'shelters');
  if (onlyOne) {
    await inTree(['npm', 'run', '--silent', 'check:types']);
    await test(TESTED);
  } else {
    await generate('field', 'length:int64', '--module', 'dog-walks');
    await generateParts();
    await check();
    await test(TESTED);
    await inTree(['npm', 'run', '--silent', 'test:slow', '--', 'test/e2e/code-samples']);
    await takeOut();
    assert.equal(changes(), '', 'what is left of the modules');
  }
  console.log('Modules were generated and tested.');
} finally {
  await rm(scratch, { recursive: true, force: true });
}
