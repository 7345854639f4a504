import { cut, NOTHING, paint, getCellText, WholeText, measureWidth, type Cell, type Cells, type Terminal, type View } from './cell.js';
import { instant } from './units.js';

const GAP = 2;
const NARROWEST_CUT = 8;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

interface Column {
  readonly heading: string;
  readonly width: number;
  /** Figures stand to the right. */
  readonly isFigure: boolean;
  readonly isWhole: boolean;
}

/** The columns of a table and their widths, settled by the first rows, so that rows of any number can follow. */
export class Table {
  private readonly columns: readonly Column[];

  constructor(
    first: readonly Cells[],
    private readonly terminal: Terminal,
  ) {
    this.columns = fit(toColumns(first), terminal.columns);
  }

  headings(): string {
    const texts = this.columns.map(({ heading, ...column }) => aligned(heading, column));
    return this.terminal.style('heading', texts.join(' '.repeat(GAP)).trimEnd());
  }

  row(cells: Cells): string {
    const texts = this.columns.map((column) => {
      const cell = cells[column.heading];
      return paint(cell, aligned(getCellText(cell), column), this.terminal.style);
    });
    return texts.join(' '.repeat(GAP)).trimEnd();
  }
}

/**
 * Makes a view of several things: a line each under headings. A line wider than the terminal loses the ends of its widest texts, never figures.
 * @param none the line for an empty list
 */
export function table<Row>(none: string, cellsOf: (row: Row) => Cells): View<readonly Row[]> {
  return (rows, terminal) => {
    if (rows.length === 0) return [none];
    const all = rows.map(cellsOf);
    const lines = new Table(all, terminal);
    return [lines.headings(), ...all.map((cells) => lines.row(cells))];
  };
}

function toColumns(rows: readonly Cells[]): Column[] {
  const headings = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return headings.map((heading) => {
    const cells = rows.map((row) => row[heading]);
    const width = Math.max(measureWidth(heading), ...cells.map((cell) => measureWidth(getCellText(cell))));
    return { heading, width, isFigure: cells.every(isFigure), isWhole: cells.some((cell) => cell instanceof WholeText) };
  });
}

function isFigure(cell: Cell): boolean {
  return typeof cell === 'number' || typeof cell === 'bigint' || getCellText(cell) === NOTHING;
}

/** Shortens the widest texts. If that leaves no room for texts that are never cut, the last of the other columns are left out. */
function fit(columns: readonly Column[], width: number): readonly Column[] {
  const shortened = shorten(columns, width);
  const last = columns.findLastIndex(({ isFigure, isWhole }) => !isFigure && !isWhole);
  if (excess(shortened, width) <= 0 || last === -1 || columns.every(({ isWhole }) => !isWhole)) return shortened;
  return fit(columns.toSpliced(last, 1), width);
}

/** Cuts the widest texts until the line fits, but none to less than NARROWEST_CUT. */
function shorten(columns: readonly Column[], width: number): readonly Column[] {
  const fitted = [...columns];
  for (let left = excess(columns, width); left > 0; left -= 1) {
    const [widest] = fitted
      .map((column, index) => ({ ...column, index }))
      .filter((column) => !column.isFigure && !column.isWhole && column.width > Math.max(NARROWEST_CUT, measureWidth(column.heading)))
      .sort((one, other) => other.width - one.width);
    if (!widest) break;
    const { index, ...column } = widest;
    fitted[index] = { ...column, width: column.width - 1 };
  }
  return fitted;
}

function excess(columns: readonly Column[], width: number): number {
  return columns.reduce((sum, column) => sum + column.width, GAP * (columns.length - 1)) - width;
}

function aligned(text: string, { width, isFigure: isRight, isWhole }: Omit<Column, 'heading'>): string {
  const kept = isRight || isWhole ? text : cut(text, width);
  const gap = ' '.repeat(Math.max(0, width - measureWidth(kept)));
  return isRight ? gap + kept : kept + gap;
}

/** Makes a view of one thing: each cell after its label, one a line, never cut. Undefined cells are left out. */
export function fields<Value>(toCells: (value: Value) => Cells): View<Value> {
  return (value, { style }) => {
    const shown = Object.entries(toCells(value)).filter(([, cell]) => cell !== undefined);
    const width = Math.max(0, ...shown.map(([label]) => measureWidth(label)));
    return shown.map(([label, cell]) => {
      const gap = ' '.repeat(width - measureWidth(label));
      return `${style('heading', `${label}:`)}${gap} ${paint(cell, getCellText(cell), style)}`;
    });
  };
}

/** The view of a result without a view of its own: a table of several things, the members of one. */
export const generalView: View<unknown> = (value, terminal) => {
  if (Array.isArray(value)) return table('None.', toCells)(value as readonly unknown[], terminal);
  return fields(toCells)(value, terminal);
};

/** Returns the members of an object as cells; those of an object in it are labelled by both names. */
function toCells(value: unknown): Cells {
  if (!isObject(value)) return { value: toCell(value) };
  const entries = Object.entries(value).flatMap(([name, member]): [string, Cell][] => {
    // `createdAt` as `created at`.
    const label = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    if (!isObject(member)) return [[label, toCell(member)]];
    return Object.entries(toCells(member)).map(([inner, cell]) => [`${label} ${inner}`, cell]);
  });
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function toCell(value: unknown): Cell {
  if (value instanceof Date || (typeof value === 'string' && INSTANT.test(value))) return instant(value);
  if (Array.isArray(value)) {
    return value.map((item) => (isObject(item) ? JSON.stringify(item, toDigits) : getCellText(toCell(item)))).join(', ');
  }
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return value as Cell;
  return undefined;
}

function toDigits(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
