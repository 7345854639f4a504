// Reads a Jest report, prints its count as `N passed, 0 failed`, and fails when a test was skipped or left to do.
// Usage: node .ci/closing-line.mjs REPORT
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const left = report.testResults
  .flatMap(({ name, assertionResults }) => assertionResults.map((test) => ({ ...test, file: name })))
  .filter(({ status }) => status !== 'passed');

if (!report.success || report.numPassedTests === 0 || left.length > 0) {
  for (const { status, fullName, file } of left) console.error(`${status}: ${fullName} (${file})`);
  console.error('Every test has to run and to pass.');
  process.exitCode = 1;
} else {
  console.log(`${report.numPassedTests} passed, 0 failed`);
}
