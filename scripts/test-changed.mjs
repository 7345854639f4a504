// Runs the tests that a change is most likely to break: those that import what changed, by themselves or through others, but of those that
// start the whole service only the ones of the modules that changed. They run on all databases that exist, as `npm test` does.
// Usage: node scripts/test-changed.mjs [COMMIT]. Without a commit: what the work tree has beyond the last one.
import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';

const JEST = [
  '--experimental-vm-modules',
  'node_modules/jest/bin/jest.js',
  '--selectProjects',
  'specs',
  'specs-servers',
  '--config',
  'jest.config.mjs',
];
const START_THE_SERVICE = /\.e2e\.spec\.ts$/;
const TESTED = /^(src|libs|test|packages|generator|scripts)\//;

const [base = 'HEAD'] = process.argv.slice(2);
const changed = [
  ...linesOf('git', ['diff', '--name-only', '--diff-filter=d', base]),
  ...linesOf('git', ['ls-files', '--others', '--exclude-standard']),
].filter((file) => TESTED.test(file));
const related = changed.length === 0 ? [] : relatedTo(changed);
const chosen = related.filter((test) => !START_THE_SERVICE.test(test) || changed.some((file) => isOfOneModule(file, test)));
if (changed.some((file) => /^(src|libs|test)\//.test(file))) chosen.push('test/architecture/architecture.arch.spec.ts');

if (chosen.length === 0) {
  console.log(`No test imports what changed since ${base}.`);
} else {
  run(process.execPath, [...JEST, '--runTestsByPath', ...new Set(chosen)]);
}
const left = related.length - related.filter((test) => chosen.includes(test)).length;
if (left > 0) console.log(`\n${left} files that start the whole service import what changed too; "npm test" runs them.`);

function relatedTo(files) {
  const root = process.cwd();
  return linesOf(process.execPath, [...JEST, '--listTests', '--findRelatedTests', ...files])
    .filter((line) => line.startsWith(root))
    .map((line) => relative(root, line));
}

/** A test is of the module in whose folder it is; a changed test or fixture concerns all tests that import it. */
function isOfOneModule(file, test) {
  const [area, name] = file.split('/');
  return area === 'test' || test.startsWith(`${area}/${name}/`);
}

function linesOf(command, words) {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  if (status === 0) return stdout.split('\n').filter(Boolean);
  process.stderr.write(stderr);
  process.exit(1);
}

function run(command, words) {
  const { status } = spawnSync(command, words, { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
