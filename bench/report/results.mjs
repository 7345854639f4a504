import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { loadGenerator } from '../load/load.mjs';

const DATA = new URL('../results.json', import.meta.url);
const PAGE = new URL('../results.md', import.meta.url);
const FINDINGS = new URL('../findings.md', import.meta.url);
const COLUMNS = ['measurement', 'service', 'beside', 'its figure', 'ratio', 'goal', 'met'];

/**
 * The rows of all measurements so far, by the processors they were made on; what is measured anew takes the place of what was measured
 * on processors of the same kind.
 */
export async function keepRows(name, rows) {
  const all = JSON.parse(await readFile(DATA, 'utf8').catch(() => '{}'));
  const kind = processors();
  all[kind] = { ...all[kind], [name]: { measuredOn: new Date().toISOString().slice(0, 10), programs: programs(), rows } };
  await writeFile(DATA, `${JSON.stringify(all, undefined, 2)}\n`);
  return all;
}

/** Writes `bench/results.md`, with a table for each kind of processors. @param order names of the measurements as a table has them */
export async function writePage(all, order) {
  const kinds = Object.keys(all).toSorted();
  const page = [
    '# Results',
    '',
    '`npm run bench` writes this page. Ratios are what counts: the contestants took turns on the same machine. A figure of requests is',
    'requests a second, and in brackets microseconds of processor time of the server per request; a ratio is of requests a second, and in',
    'brackets of the processor time, which other work on the machine changes less. There is a table for each kind of processor, since the',
    'ratios depend on it; a run replaces those of its own kind alone.',
    '',
    ...kinds.flatMap((kind) => sectionOf(kind, all[kind], order)),
    (await readFile(FINDINGS, 'utf8').catch(() => '')).trim(),
  ];
  await writeFile(PAGE, `${page.join('\n').trim()}\n`);
}

function sectionOf(kind, measured, order) {
  const named = order.filter((name) => measured[name]);
  const rows = named.flatMap((name) => measured[name].rows);
  const days = named.map((name) => measured[name].measuredOn).toSorted();
  const period = days[0] === days.at(-1) ? days[0] : `${days[0]} to ${days.at(-1)}`;
  const programsUsed = [...new Set(named.map((name) => measured[name].programs))].join('; ');
  return [`## On ${kind}`, '', table(rows), '', `Measured ${period}: ${programsUsed}.`, ''];
}

/** The rows as a Markdown table. */
export function table(rows) {
  const cells = [COLUMNS, ...rows.map(cellsOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(COLUMNS), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...cells.slice(1).map(line)].join('\n');
}

function cellsOf({ what, figure, baseline, baselineFigure, ratio, goal, met }) {
  return [what, figure, baseline, baselineFigure, ratio, goal, met === undefined ? '' : met ? 'yes' : '**no**'];
}

/** How many there are, and of which model. */
function processors() {
  const all = cpus();
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown processor'}`;
}

function programs() {
  return `Node ${process.versions.node}, load by ${loadGenerator}`;
}
