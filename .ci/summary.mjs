// Says where the time of a run went, what failed with which seed, and how many tests passed. Fails when a test failed, was skipped or left to do.
// Usage: node .ci/summary.mjs SECONDS-FILE REPORTS-FOLDER. The reports are Jest's, of scripts/run-tests.mjs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

const SLOWEST = 20;
const [secondsFile, folder] = process.argv.slice(2);
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json') && !name.endsWith('-again.json')) : [];
const suites = names.map((name) => ({ name: basename(name, '.json'), ...JSON.parse(readFileSync(join(folder, name), 'utf8')) }));
const files = suites.flatMap(({ name, testResults }) => testResults.map((file) => ({ suite: name, ...file })));
const tests = files.flatMap(({ suite, name, assertionResults }) =>
  assertionResults.map((test) => ({ suite, file: relative('.', name), ...test })),
);

if (existsSync(secondsFile)) {
  console.log('\n== seconds of each stage');
  process.stdout.write(readFileSync(secondsFile, 'utf8'));
}
console.log(`\n== the ${SLOWEST} slowest: seconds, suite, file, and of a file of many specs the block`);
for (const [block, seconds] of slowestBlocks()) console.log(`${seconds.toFixed(1).padStart(6)}  ${block}`);

const failed = files.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
);
const left = tests.filter(({ status }) => status !== 'passed');
for (const { suite, name, message } of failed) console.error(`\nfailed to run: ${relative('.', name)} (${suite})\n${message}`);
for (const { status, fullName, file, suite } of left) console.error(`${status}: ${fullName} (${suite}, ${file})`);
const passed = tests.length - left.length;
if (failed.length > 0 || left.length > 0 || suites.some(({ numPassedTests }) => numPassedTests === 0) || suites.length === 0) {
  console.error('Every test has to run and to pass.');
  process.exitCode = 1;
}
console.log(`\n${passed} passed, ${failed.length + left.filter(({ status }) => status === 'failed').length} failed`);

/** Without what blocks set up before their first test. */
function slowestBlocks() {
  const milliseconds = new Map();
  for (const { suite, file, ancestorTitles, duration } of tests) {
    const block = `${suite}  ${file}${file.endsWith('.area.ts') ? `  ${ancestorTitles[0]}` : ''}`;
    milliseconds.set(block, (milliseconds.get(block) ?? 0) + (duration ?? 0));
  }
  return [...milliseconds]
    .sort(([, one], [, other]) => other - one)
    .slice(0, SLOWEST)
    .map(([block, time]) => [block, time / 1000]);
}
