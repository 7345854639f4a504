import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';

const PAGE = new URL('../results.md', import.meta.url);
const COLUMNS = ['run', 'measurement', 'service', 'beside', 'its figure', 'ratio', 'goal', 'met'];

/**
 * Replaces the rows of a measurement in `bench/results.md`, in the table of this machine's kind of processor.
 * @param order names of the measurements in the order of the table
 */
export async function writeRows(name, rows, order) {
  const sections = (await readFile(PAGE, 'utf8')).split(/^(?=## )/m);
  const heading = `## On ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}\n`;
  const found = sections.findIndex((section) => section.startsWith(heading));
  const written = found < 0 ? [] : readTable(sections[found]);
  const cells = [...written.filter(([run]) => run !== name), ...rows.map((row) => cellsOf(name, row))];
  cells.sort(([left], [right]) => order.indexOf(left) - order.indexOf(right));
  const today = new Date().toISOString().slice(0, 10);
  const section = `${heading}\n${format(cells)}\n\nLast run ${today}: Node ${process.versions.node}.\n\n`;
  sections.splice(found < 0 ? 1 : found, found < 0 ? 0 : 1, section);
  await writeFile(PAGE, sections.join(''));
}

/** The rows of a measurement as a Markdown table. */
export function table(name, rows) {
  return format(rows.map((row) => cellsOf(name, row)));
}

function readTable(section) {
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}

function format(rows) {
  const widths = COLUMNS.map((_, column) => Math.max(...[COLUMNS, ...rows].map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(COLUMNS), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}

function cellsOf(name, { what, figure, baseline, baselineFigure, ratio, goal, met }) {
  return [name, what, figure, baseline, baselineFigure, ratio, goal, met === undefined ? '' : met ? 'yes' : '**no**'];
}
