// Fails when a package that runs in production has a known vulnerability of severity high or critical. Says so, and passes,
// when the registry gives no answer: that is no fault of the packages.
// Usage: node scripts/audit-dependencies.mjs
import { spawnSync } from 'node:child_process';

const REFUSED = ['high', 'critical'];

/** The findings of `npm audit`, or undefined without a registry. */
function audit() {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const { metadata, vulnerabilities } = JSON.parse(stdout);
    return metadata && { counts: metadata.vulnerabilities, vulnerabilities: Object.values(vulnerabilities) };
  } catch {
    return undefined;
  }
}

const report = audit();
const refused = report?.vulnerabilities.filter(({ severity }) => REFUSED.includes(severity)) ?? [];

if (report === undefined) {
  console.log('The registry gives no answer to npm audit here, so known vulnerabilities were not looked up.');
} else if (refused.length > 0) {
  for (const { name, severity, range } of refused) console.error(`${severity}: ${name} ${range}`);
  console.error('Production dependencies have known vulnerabilities; "npm audit --omit=dev" tells more.');
  process.exitCode = 1;
} else {
  console.log(`Production dependencies have no known high or critical vulnerability (${report.counts.total} of lower severity).`);
}
