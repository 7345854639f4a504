import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { loadGenerator } from '../load/load.mjs';

const DATA = new URL('../results.json', import.meta.url);
const PAGE = new URL('../results.md', import.meta.url);
const FINDINGS = new URL('../findings.md', import.meta.url);
const COLUMNS = ['measurement', 'service', 'beside', 'its figure', 'ratio', 'goal', 'met'];

/** The rows of all measurements so far; what is measured anew takes the place of what was. */
export async function keepRows(name, rows) {
  const all = JSON.parse(await readFile(DATA, 'utf8').catch(() => '{}'));
  all[name] = { measuredOn: new Date().toISOString().slice(0, 10), machine: machine(), rows };
  await writeFile(DATA, `${JSON.stringify(all, undefined, 2)}\n`);
  return all;
}

/** Writes `bench/results.md`. @param order names of the measurements as the table has them */
export async function writePage(all, order) {
  const named = order.filter((name) => all[name]);
  const rows = named.flatMap((name) => all[name].rows);
  const machines = [...new Set(named.map((name) => all[name].machine))];
  const page = [
    '# Results',
    '',
    '`npm run bench` writes this page. Ratios are what counts: the contestants took turns on the same machine. A figure of requests is',
    'requests a second, and in brackets microseconds of processor time of the server per request; a ratio is of requests a second, and in',
    'brackets of the processor time, which other work on the machine changes less.',
    '',
    table(rows),
    '',
    `Measured on ${machines.join('; ')}.`,
    '',
    (await readFile(FINDINGS, 'utf8').catch(() => '')).trim(),
  ];
  await writeFile(PAGE, `${page.join('\n').trim()}\n`);
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

function machine() {
  const processors = cpus();
  return `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}, Node ${process.versions.node}, load by ${loadGenerator}`;
}
