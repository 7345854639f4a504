import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { instant } from './units.js';

const FORMATS = { bad: 'red', good: 'green', quiet: 'dim', strong: 'bold' } as const;

/** Makes a text stand out. The text must say the same without it, for readers who see no colours. */
export type Tone = keyof typeof FORMATS;

/** Where results are shown: a width in columns, and a stream, which decides whether there are colours. */
export interface Terminal {
  readonly columns: number;
  readonly stream: NodeJS.WritableStream;
}

/** Renders a value for people as lines without line breaks. */
export type View<Value> = (value: Value, terminal: Terminal) => readonly string[];

/** Cells by their headings or labels, in order; in a table the most important first. */
export type Cells = Readonly<Record<string, Cell>>;

/** The content of one field of a table or beside one label. */
export type Cell = string | number | bigint | boolean | Date | null | undefined | TextCell;

export interface TextCell {
  readonly text: string;
  readonly tone: Tone;
}

interface Column {
  readonly heading: string;
  readonly width: number;
  /** Figures are aligned to the right. */
  readonly isFigure: boolean;
}

/** Shown for an empty cell. */
const NOTHING = '-';
const GAP = '  ';
// Ends a line, moves the cursor, or turns the direction of the following text, so that a text from a client could forge its neighbours.
const UNSHOWABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/** Makes a cell that stands out. */
export function toned(tone: Tone, text: string): TextCell {
  return { tone, text };
}

/** Returns the text of a cell on one line, in which nothing can rewrite a terminal: control and direction characters are written as escapes. */
export function getCellText(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return NOTHING;
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (cell instanceof Date) return instant(cell);
  const text = typeof cell === 'object' ? cell.text : String(cell);
  return text.replaceAll(UNSHOWABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns a text in its tone, unchanged if the terminal shows no colours. */
export function paint(tone: Tone, text: string, { stream }: Pick<Terminal, 'stream'>): string {
  return styleText(FORMATS[tone], text, { stream });
}

/** Formats rows one after another. */
export interface Table {
  /** The lines above the rows. */
  readonly head: readonly string[];
  readonly row: (cells: Cells) => readonly string[];
}

/**
 * Begins a table whose columns and widths the first rows settle, so that any number of rows can follow. If a line would be wider than the
 * terminal, each row stands as lines of its own, each cell after its label.
 */
export function beginTable(first: readonly Cells[], terminal: Terminal): Table {
  const columns = toColumns(first);
  if (columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length) > terminal.columns) {
    const rowFields = fields((cells: Cells) => cells);
    return { head: [], row: (cells) => [...rowFields(cells, terminal), ''] };
  }
  const line = (getCell: (column: Column) => Cell): string =>
    columns
      .map((column) => paintCell(getCell(column), (text) => align(text, column), terminal))
      .join(GAP)
      .trimEnd();
  const headings = line(({ heading }) => heading);
  return { head: [paint('strong', headings, terminal)], row: (cells) => [line(({ heading }) => cells[heading])] };
}

/**
 * Makes a view of several things, as `beginTable` shows them.
 * @param none the line for an empty list
 */
export function table<Row>(none: string, rowToCells: (row: Row) => Cells): View<readonly Row[]> {
  return (rows, terminal) => {
    if (rows.length === 0) return [none];
    const all = rows.map(rowToCells);
    const { head, row } = beginTable(all, terminal);
    return [...head, ...all.flatMap(row)];
  };
}

/** Makes a view of one thing: each cell after its label, one a line, never cut. Undefined cells are omitted. */
export function fields<Value>(valueToCells: (value: Value) => Cells): View<Value> {
  return (value, terminal) => {
    const shown = Object.entries(valueToCells(value)).filter(([, cell]) => cell !== undefined);
    const width = Math.max(0, ...shown.map(([label]) => label.length)) + 1;
    return shown.map(
      ([label, cell]) => `${paint('strong', `${label}:`.padEnd(width), terminal)} ${paintCell(cell, (text) => text, terminal)}`,
    );
  };
}

/** Shows a result without a view of its own: its members, those of an inner object labelled by both names. */
export const generalView: View<object> = fields((value) => toCells(value));

function toColumns(rows: readonly Cells[]): Column[] {
  const headings = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return headings.map((heading) => {
    const cells = rows.map((row) => row[heading]);
    const width = Math.max(...[heading, ...cells].map((cell) => stringWidth(getCellText(cell))));
    const isFigure = cells.every((cell) => ['number', 'bigint'].includes(typeof cell) || getCellText(cell) === NOTHING);
    return { heading, width, isFigure };
  });
}

function align(text: string, { width, isFigure }: Column): string {
  const gap = ' '.repeat(Math.max(0, width - stringWidth(text)));
  return isFigure ? gap + text : text + gap;
}

function paintCell(cell: Cell, format: (text: string) => string, terminal: Terminal): string {
  const text = format(getCellText(cell));
  return typeof cell === 'object' && cell !== null && 'tone' in cell ? paint(cell.tone, text, terminal) : text;
}

function toCells(value: object, prefix = ''): Cells {
  const cells = Object.entries(value).map(([name, member]: [string, unknown]): Cells => {
    // `createdAt` as `created at`.
    const label = prefix + name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    if (Array.isArray(member)) return { [label]: member.map((item) => (isObject(item) ? JSON.stringify(item) : String(item))).join(', ') };
    return isObject(member) ? toCells(member, `${label} `) : { [label]: member as Cell };
  });
  return Object.assign({}, ...cells) as Cells;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}
