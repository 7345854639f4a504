// Holds the OpenAPI document against the rules of Redocly, at their strictest, and fails on any finding.
// Usage: node scripts/check-api.mjs [DOCUMENT]
import { createConfig, formatProblems, getTotals, lint } from '@redocly/openapi-core';

const [document = 'docs/reference/openapi.json'] = process.argv.slice(2);
// The library, since its command warns of some Node versions.
const problems = await lint({ ref: document, config: await createConfig({ extends: ['recommended-strict'] }) });
if (problems.length > 0) {
  formatProblems(problems, { format: 'stylish', totals: getTotals(problems) });
  process.exitCode = 1;
}
