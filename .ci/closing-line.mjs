// Reads reports of Jest, prints their count as `N passed, 0 failed`, and fails when a test was skipped or left to do.
// Usage: node .ci/closing-line.mjs REPORT...
import { readFileSync } from 'node:fs';

const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const left = reports
  .flatMap(({ testResults }) => testResults)
  .flatMap(({ name, assertionResults }) => assertionResults.map((test) => ({ ...test, file: name })))
  .filter(({ status }) => status !== 'passed');

if (left.length > 0 || reports.some(({ success, numPassedTests }) => !success || numPassedTests === 0)) {
  for (const { status, fullName, file } of left) console.error(`${status}: ${fullName} (${file})`);
  console.error('Every test has to run and to pass.');
  process.exitCode = 1;
} else {
  const passed = reports.reduce((sum, { numPassedTests }) => sum + numPassedTests, 0);
  console.log(`${passed} passed, 0 failed`);
}
