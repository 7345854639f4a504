import { styleText } from 'node:util';
import { hasColours } from '#libs/observability';
import stringWidth from 'string-width';
import { instant } from './units.js';

const FORMATS = { bad: 'red', good: 'green', quiet: 'dim', strong: 'bold' } as const;

/** Makes a text stand out. The text must say the same without it, for readers who see no colours. */
export type Tone = keyof typeof FORMATS;

/** The terminal that shows results; `columns` is its width. */
export interface Terminal {
  readonly columns: number;
  /** Gives a text its tone, or returns it unchanged without colours. */
  readonly style: (tone: Tone, text: string) => string;
}

/** Renders a value for people as lines without line breaks. */
export type View<Value> = (value: Value, terminal: Terminal) => readonly string[];

/** Cells by their headings or labels, in order. */
export type Cells = Readonly<Record<string, Cell>>;

/** The content of one field of a table or beside one label. */
export type Cell = string | number | bigint | boolean | null | undefined | TextCell;

export interface TextCell {
  readonly text: string;
  readonly tone?: Tone;
  /** Whether a table never cuts the text. */
  readonly isWhole?: boolean;
}

interface Column {
  readonly heading: string;
  readonly width: number;
  /** Figures are aligned to the right. */
  readonly isFigure: boolean;
  readonly isWhole: boolean;
}

/** Shown for an empty cell. */
const NOTHING = '-';
const ELLIPSIS = '…';
const GAP = 2;
const MIN_CUT_WIDTH = 8;
const FEW_WORDS = 20;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
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
  const text = typeof cell === 'object' ? cell.text : String(cell);
  return text.replaceAll(UNSHOWABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns a style with colours if the terminal shows them. */
export function detectStyle(environment: Readonly<Record<string, string | undefined>>): Terminal['style'] {
  if (!hasColours(environment)) return (_tone, text) => text;
  return (tone, text) => styleText(FORMATS[tone], text, { validateStream: false });
}

/** Formats a table whose columns and widths the first rows settle, so that any number of rows can follow. */
export class Table {
  private readonly columns: readonly Column[];

  constructor(
    first: readonly Cells[],
    private readonly terminal: Terminal,
    private readonly firstToGo: readonly string[] = [],
  ) {
    this.columns = fit(leaveOut(toColumns(first), terminal.columns, firstToGo), terminal.columns);
  }

  headings(): string {
    return this.terminal.style(
      'strong',
      this.line(({ heading }) => heading),
    );
  }

  row(cells: Cells): string {
    return this.line(({ heading }) => cells[heading]);
  }

  private line(getCell: (column: Column) => Cell): string {
    const texts = this.columns.map((column) => {
      const cell = getCell(column);
      return paint(cell, align(getCellText(cell), column, this.firstToGo.length > 0), this.terminal);
    });
    return texts.join(' '.repeat(GAP)).trimEnd();
  }
}

/**
 * Makes a view of several things: a line each under headings. If a line is wider than the terminal, its widest texts are cut, never figures.
 * @param none the line for an empty list
 * @param firstToGo headings of columns to drop, in this order, before a text is cut; texts are then cut between words
 */
export function table<Row>(none: string, rowToCells: (row: Row) => Cells, firstToGo: readonly string[] = []): View<readonly Row[]> {
  return (rows, terminal) => {
    if (rows.length === 0) return [none];
    const all = rows.map(rowToCells);
    const lines = new Table(all, terminal, firstToGo);
    return [lines.headings(), ...all.map((cells) => lines.row(cells))];
  };
}

/** Makes a view of one thing: each cell after its label, one a line, never cut. Undefined cells are omitted. */
export function fields<Value>(valueToCells: (value: Value) => Cells): View<Value> {
  return (value, terminal) => {
    const shown = Object.entries(valueToCells(value)).filter(([, cell]) => cell !== undefined);
    const width = Math.max(0, ...shown.map(([label]) => stringWidth(label)));
    return shown.map(([label, cell]) => {
      const gap = ' '.repeat(width - stringWidth(label));
      return `${terminal.style('strong', `${label}:`)}${gap} ${paint(cell, getCellText(cell), terminal)}`;
    });
  };
}

/** Shows a result without a view of its own: a table of several things, the members of one. */
export const generalView: View<unknown> = (value, terminal) => {
  if (Array.isArray(value)) return table('None.', toCells)(value as readonly unknown[], terminal);
  return fields(toCells)(value, terminal);
};

function toColumns(rows: readonly Cells[]): Column[] {
  const headings = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return headings.map((heading) => {
    const cells = rows.map((row) => row[heading]);
    const width = Math.max(...[heading, ...cells].map((cell) => stringWidth(getCellText(cell))));
    const isWhole = cells.some((cell) => typeof cell === 'object' && cell?.isWhole === true);
    return { heading, width, isWhole, isFigure: cells.every(isFigure) };
  });
}

function isFigure(cell: Cell): boolean {
  return typeof cell === 'number' || typeof cell === 'bigint' || getCellText(cell) === NOTHING;
}

/** Drops columns, one after another, until the line fits with a few words of each text. */
function leaveOut(columns: readonly Column[], width: number, [first, ...others]: readonly string[]): readonly Column[] {
  const narrowed = columns.map((column) => (isCuttable(column) ? { ...column, width: Math.min(column.width, FEW_WORDS) } : column));
  if (lineWidth(narrowed) <= width || first === undefined) return columns;
  return leaveOut(
    columns.filter(({ heading }) => heading !== first),
    width,
    others,
  );
}

/** Narrows the widest texts, none below MIN_CUT_WIDTH. If whole texts still do not fit, drops the last of the other columns. */
function fit(columns: readonly Column[], width: number): readonly Column[] {
  let fitted = columns;
  for (let limit = widest(columns); lineWidth(fitted) > width && limit >= MIN_CUT_WIDTH; limit -= 1) {
    fitted = fitted.map((column) => {
      const allowed = Math.max(limit, stringWidth(column.heading));
      return isCuttable(column) && column.width > allowed ? { ...column, width: allowed } : column;
    });
  }
  const last = columns.findLastIndex(isCuttable);
  if (lineWidth(fitted) <= width || last === -1 || columns.every(({ isWhole }) => !isWhole)) return fitted;
  return fit(columns.toSpliced(last, 1), width);
}

function isCuttable({ isFigure: isRight, isWhole }: Column): boolean {
  return !isRight && !isWhole;
}

function widest(columns: readonly Column[]): number {
  return Math.max(...columns.map((column) => column.width));
}

function lineWidth(columns: readonly Column[]): number {
  return columns.reduce((sum, column) => sum + column.width, GAP * (columns.length - 1));
}

function align(text: string, { width, isFigure: isRight, isWhole }: Column, betweenWords: boolean): string {
  const kept = isRight || isWhole ? text : cut(text, width, betweenWords);
  const gap = ' '.repeat(Math.max(0, width - stringWidth(kept)));
  return isRight ? gap + kept : kept + gap;
}

/** Returns the text, or its beginning and an ellipsis if it is wider. Never cuts a grapheme. */
function cut(text: string, width: number, betweenWords: boolean): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  const lastSpace = betweenWords ? kept.lastIndexOf(' ') : -1;
  return (lastSpace > 0 ? kept.slice(0, lastSpace) : kept) + ELLIPSIS;
}

function paint(cell: Cell, text: string, { style }: Terminal): string {
  return typeof cell === 'object' && cell?.tone ? style(cell.tone, text) : text;
}

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
