// Holds the OpenAPI document against the rules of Redocly (redocly.yaml), and fails on any finding.
// Usage: node scripts/check-api.mjs [DOCUMENT]
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';

const [document = 'docs/openapi.json'] = process.argv.slice(2);
// The library, since its command warns of some Node versions.
const problems = await lint({ ref: document, config: await loadConfig({ configPath: 'redocly.yaml' }) });
if (problems.length > 0) {
  formatProblems(problems, { format: 'stylish', totals: getTotals(problems) });
  process.exitCode = 1;
}
