import { cut, NOTHING, paint, textOf, WholeText, widthOf, type Cell } from './cell.js';
import type { Cells, Terminal, View } from './view.js';

const GAP = 2;
const NARROWEST_CUT = 8;

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
    this.columns = fit(columnsOf(first), terminal.columns);
  }

  headings(): string {
    const texts = this.columns.map(({ heading, ...column }) => aligned(heading, column));
    return this.terminal.style('heading', texts.join(' '.repeat(GAP)).trimEnd());
  }

  row(cells: Cells): string {
    const texts = this.columns.map((column) => {
      const cell = cells[column.heading];
      return paint(cell, aligned(textOf(cell), column), this.terminal.style);
    });
    return texts.join(' '.repeat(GAP)).trimEnd();
  }
}

/**
 * A view of several things: a line each under headings. What is wider than the terminal loses the ends of its widest texts, never figures.
 * @param none what is said where there are none
 */
export function table<Row>(none: string, cellsOf: (row: Row) => Cells): View<readonly Row[]> {
  return (rows, terminal) => {
    if (rows.length === 0) return [none];
    const all = rows.map(cellsOf);
    const lines = new Table(all, terminal);
    return [lines.headings(), ...all.map((cells) => lines.row(cells))];
  };
}

function columnsOf(rows: readonly Cells[]): Column[] {
  const headings = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return headings.map((heading) => {
    const cells = rows.map((row) => row[heading]);
    const width = Math.max(widthOf(heading), ...cells.map((cell) => widthOf(textOf(cell))));
    return { heading, width, isFigure: cells.every(isFigure), isWhole: cells.some((cell) => cell instanceof WholeText) };
  });
}

function isFigure(cell: Cell): boolean {
  return typeof cell === 'number' || typeof cell === 'bigint' || textOf(cell) === NOTHING;
}

/** Shortens the widest texts. Where that leaves no room for those that are never cut, the last of the others are left out. */
function fit(columns: readonly Column[], width: number): readonly Column[] {
  const shortened = shorten(columns, width);
  const last = columns.findLastIndex(({ isFigure, isWhole }) => !isFigure && !isWhole);
  if (excess(shortened, width) <= 0 || last === -1 || columns.every(({ isWhole }) => !isWhole)) return shortened;
  return fit(columns.toSpliced(last, 1), width);
}

/** Takes from the widest texts what the line is too wide, as long as each can still be told. */
function shorten(columns: readonly Column[], width: number): readonly Column[] {
  const fitted = [...columns];
  for (let left = excess(columns, width); left > 0; left -= 1) {
    const [widest] = fitted
      .map((column, index) => ({ ...column, index }))
      .filter((column) => !column.isFigure && !column.isWhole && column.width > Math.max(NARROWEST_CUT, widthOf(column.heading)))
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
  const gap = ' '.repeat(Math.max(0, width - widthOf(kept)));
  return isRight ? gap + kept : kept + gap;
}
