// Runs a suite of the tests, and judges each failure by its kind (libs/testing/verdicts.ts): one of safety is final; what was too slow, or
// could not be judged, is run once more, alone, and fails if that fails too.
// Usage: node scripts/run-tests.mjs SUITE [PATH or other argument of Jest...]. The suites are those below.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ALONE = ['--runInBand'];
const SUITES = {
  test: { projects: ['areas', 'areas-servers'], options: [] },
  one: {
    projects: ['specs', 'specs-servers', 'slow', 'slow-servers', 'release', 'release-servers', 'reliability', 'release-reliability'],
    options: [],
  },
  slow: { projects: ['slow', 'slow-servers'], options: [] },
  reliability: { projects: ['reliability'], options: [] },
  release: { projects: ['release', 'release-servers'], options: [] },
  'release-reliability': { projects: ['release-reliability'], options: ALONE },
  containers: { projects: ['containers'], options: ALONE },
};
const RETRIED = /^(?:\w+: )?(LIVENESS|UNJUDGED): .*/;

const root = join(import.meta.dirname, '..');
const [name = '', ...words] = process.argv.slice(2);
if (!(name in SUITES)) throw new Error(`"${name}" is no suite: ${Object.keys(SUITES).join(', ')}`);
const hasPath = words.some((word) => !word.startsWith('-'));
if (name === 'one' && !hasPath) throw new Error('Name the file or folder to test: npm run test:one -- PATH');
// An area is no path of a spec.
const { projects, options } = SUITES[name === 'test' && hasPath ? 'one' : name];
const reports = join(root, 'reports/tests');
mkdirSync(reports, { recursive: true });
const report = await runJest(name, [...options, ...words]);
const failures = report === undefined ? undefined : failuresOf(report);
if (failures === undefined || failures.some(({ verdict }) => verdict === undefined)) {
  process.exitCode = 1;
} else if (failures.length > 0) {
  await runAgain(failures);
}
if (process.exitCode === 1) console.error(`\nThe report of this run: ${relative(root, reportOf(name))}`);

/** Resolves with the report of a run, undefined if there is none. */
async function runJest(label, jestArguments) {
  const file = reportOf(label);
  rmSync(file, { force: true });
  const jest = spawn(
    process.execPath,
    [
      ...[
        '--experimental-vm-modules',
        '--max-semi-space-size=64',
        join(root, 'node_modules/jest/bin/jest.js'),
        '--selectProjects',
        ...projects,
      ],
      ...['--config', join(root, 'jest.config.mjs'), '--json', '--outputFile', file, ...jestArguments],
    ],
    { cwd: root, stdio: ['inherit', 'ignore', 'inherit'] },
  );
  const [code] = await once(jest, 'exit');
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    process.exitCode = code || 1;
    return undefined;
  }
}

function reportOf(label) {
  return join(reports, `${label}.json`);
}

/** Of each failed test the verdict to try again, undefined if it is final. A file that could not be run is final too. */
function failuresOf({ testResults }) {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name: file, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      return failed.length === 0
        ? [{ file }]
        : failed.map((test) => ({ file, test: test.fullName, verdict: verdictOf(test.failureMessages) }));
    });
}

function verdictOf(messages) {
  const verdicts = messages.map((message) => RETRIED.exec(message)?.[0]);
  return verdicts.every(Boolean) ? verdicts.join('; ') : undefined;
}

/** Both outcomes are printed, and the report of the suite says in the end what the second one was. */
async function runAgain(failed) {
  for (const { test, verdict } of failed) console.error(`\nOnce more, alone: ${test}\n  first: ${verdict}`);
  const pattern = `^(${failed.map(({ test }) => test.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('|')})$`;
  const files = [...new Set(failed.map(({ file }) => file))];
  const again = await runJest(`${name}-again`, [...ALONE, '--testNamePattern', pattern, '--runTestsByPath', ...files]);
  const left = again === undefined ? failed : failuresOf(again);
  for (const { test, verdict } of left) console.error(`\nTwice: ${test}\n  second: ${verdict ?? 'a failure of safety'}`);
  if (left.length > 0) process.exitCode = 1;
  else writeFileSync(reportOf(name), JSON.stringify(passedAgain(report, failed)));
}

function passedAgain(first, failed) {
  const passed = new Set(failed.map(({ test }) => test));
  for (const file of first.testResults) {
    file.status = 'passed';
    for (const test of file.assertionResults) if (passed.has(test.fullName)) test.status = 'passed';
  }
  return { ...first, success: true, numFailedTests: 0, numPassedTests: first.numPassedTests + failed.length };
}
