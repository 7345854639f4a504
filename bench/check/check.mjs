import { readFile, writeFile } from 'node:fs/promises';
import { countOperations } from './count.mjs';

const EXPECTED = new URL('../check.json', import.meta.url);
const ACCEPT = 'npm run bench -- --check --accept';
// Less than one statement or promise for a request: what is left of work that is done once a second.
const TOLERANCES = { statements: 0.5, promises: 0.5, bytes: 0 };

/**
 * Counts what requests take that does not depend on the machine, and compares it with `check.json`.
 * @param accept writes what was counted there instead
 * @returns whether nothing has grown
 */
export async function checkCounts({ accept = false }) {
  const counted = { node: majorOf(process.version), operations: await countOperations() };
  console.table(counted.operations);
  if (accept) {
    await writeFile(EXPECTED, `${JSON.stringify(counted, undefined, 2)}\n`);
    console.log(`Accepted: bench/check.json has these figures now, the promises those of Node ${counted.node}.`);
    return true;
  }
  return compare(counted, JSON.parse(await readFile(EXPECTED, 'utf8')));
}

function compare(counted, expected) {
  const changes = changesBetween(counted, expected);
  const grown = changes.filter(({ now, was }) => !(now < was));
  const shrunk = changes.filter(({ now, was }) => now < was);
  for (const change of grown) console.error(`More than before: ${sentenceOf(change)}.`);
  for (const change of shrunk) console.log(`Less than before: ${sentenceOf(change)}.`);
  if (grown.length > 0) console.error(`Where it has to be so: ${ACCEPT}`);
  else if (shrunk.length > 0) console.log(`So that it stays so: ${ACCEPT}`);
  else console.log('Nothing takes more than before.');
  return grown.length === 0;
}

/** Figures that differ by more than their tolerance; one that is only there or only here too. */
function changesBetween(counted, expected) {
  const names = new Set([...Object.keys(expected.operations), ...Object.keys(counted.operations)]);
  const figures = figuresFor(counted, expected);
  return [...names].flatMap((operation) =>
    figures.flatMap((figure) => {
      const was = expected.operations[operation]?.[figure];
      const now = counted.operations[operation]?.[figure];
      return Math.abs(now - was) <= TOLERANCES[figure] ? [] : [{ operation, figure, was, now }];
    }),
  );
}

/** Other versions of Node make other numbers of promises for the same code. */
function figuresFor(counted, expected) {
  if (counted.node === expected.node) return Object.keys(TOLERANCES);
  console.log(`NOT CHECKED: promises. This is Node ${counted.node}, bench/check.json has those of Node ${expected.node}.`);
  return Object.keys(TOLERANCES).filter((figure) => figure !== 'promises');
}

function sentenceOf({ operation, figure, was = 'not counted', now = 'not counted' }) {
  return `${operation}, ${figure} for a request: ${was} before, ${now} now`;
}

function majorOf(version) {
  return Number(/^v(\d+)/.exec(version)[1]);
}
