// Holds the OpenAPI document against the rules of Redocly (redocly.yaml) and of Spectral with those of OWASP (.spectral.yaml), and
// fails on any finding.
// Usage: node scripts/check-api.mjs [DOCUMENT]
import { spawnSync } from 'node:child_process';
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';

const [document = 'docs/openapi.json'] = process.argv.slice(2);

/** Whether Redocly finds nothing. Its library, since its command warns of some Node versions. */
async function passesRedocly() {
  const problems = await lint({ ref: document, config: await loadConfig({ configPath: 'redocly.yaml' }) });
  const totals = getTotals(problems);
  if (problems.length > 0) formatProblems(problems, { format: 'stylish', totals });
  return problems.length === 0;
}

/** Whether Spectral finds nothing, a hint neither. */
function passesSpectral() {
  const spectral = ['node_modules/@stoplight/spectral-cli/dist/index.js', 'lint', document, '--fail-severity', 'hint', '--quiet'];
  return spawnSync(process.execPath, spectral, { stdio: 'inherit' }).status === 0;
}

const passed = [await passesRedocly(), passesSpectral()];
if (passed.includes(false)) process.exitCode = 1;
