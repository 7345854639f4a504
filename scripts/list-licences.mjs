// Prints docs/reference/licences.md: the licences of all packages that run in production. Fails when one of them is not allowed.
// Usage: node scripts/list-licences.mjs [LOCK_FILE]
import { readFileSync } from 'node:fs';

const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'Python-2.0']);
const WIDTH = 138;

/** The packages by licence, each once, both in the order of their names. */
function licencesOf(lockFile) {
  const byLicence = new Map();
  for (const [path, { dev, devOptional, license, link }] of Object.entries(JSON.parse(readFileSync(lockFile, 'utf8')).packages)) {
    // What is not in node_modules is a folder of this project, and a link leads to one.
    if (!path.startsWith('node_modules/') || dev || devOptional || link) continue;
    const names = byLicence.get(license ?? 'unknown') ?? new Set();
    byLicence.set(license ?? 'unknown', names.add(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)));
  }
  return [...byLicence].map(([licence, names]) => [licence, [...names].sort()]).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether an SPDX expression leaves only allowed licences to choose; one level of parentheses is all that packages use. */
function isAllowed(expression) {
  const choices = expression.replaceAll(/[()]/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((licence) => ALLOWED.has(licence)));
}

function wrapped(names) {
  const lines = [''];
  for (const name of names) {
    const word = `\`${name}\``;
    const last = lines.at(-1);
    if (last !== '' && last.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join('\n');
}

const licences = licencesOf(process.argv[2] ?? new URL('../package-lock.json', import.meta.url));
const refused = licences.filter(([licence]) => !isAllowed(licence));

if (refused.length > 0) {
  for (const [licence, names] of refused) console.error(`The licence ${licence} is not allowed: ${names.join(', ')}`);
  process.exitCode = 1;
} else {
  console.log('# Licences of what runs in production\n');
  console.log('Written by `node scripts/list-licences.mjs > docs/reference/licences.md` from the lock file; a test compares them.');
  for (const [licence, names] of licences) console.log(`\n## ${licence}\n\n${wrapped(names)}`);
}
