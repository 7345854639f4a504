import { styleText } from 'node:util';
import { hasColours } from '#libs/observability';
import stringWidth from 'string-width';

/** What makes a text stand out. Each goes with words that say the same, for whoever sees no colours. */
export type Tone = 'bad' | 'good' | 'heading' | 'quiet' | 'strong';

/** Gives a text its tone, or leaves it as it is without colours. */
export type Style = (tone: Tone, text: string) => string;

/** Where results for people are shown; `columns` is its width. */
export interface Terminal {
  readonly columns: number;
  readonly style: Style;
}

/** Makes the lines that people see of a value, without line breaks. */
export type View<Value> = (value: Value, terminal: Terminal) => readonly string[];

/** Cells by their headings or labels, in order. */
export type Cells = Readonly<Record<string, Cell>>;

/** The content of one place of a table or beside one label. */
export type Cell = string | number | bigint | boolean | null | undefined | TonedCell | WholeText;

export interface TonedCell {
  readonly tone: Tone;
  readonly text: string;
}

/** A text that is never cut. */
export class WholeText {
  constructor(readonly text: string) {}
}

/** Shown for an empty cell. */
export const NOTHING = '-';

const ELLIPSIS = '…';
const FORMATS = { bad: 'red', good: 'green', heading: 'bold', quiet: 'dim', strong: 'bold' } as const satisfies Record<Tone, string>;
// Ends a line, moves the cursor, or turns the direction of the following text, so that a text from a client could forge its neighbours.
const UNSHOWABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/** A text that stands out. */
export function toned(tone: Tone, text: string): TonedCell {
  return { tone, text };
}

/** Returns the text of a cell on one line, in which nothing can rewrite a terminal: control and direction characters are written as escapes. */
export function getCellText(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return NOTHING;
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  const text = typeof cell === 'object' ? cell.text : String(cell);
  return text.replaceAll(UNSHOWABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns how many columns of a terminal the text takes: two for wide characters, none for combining ones. */
export function measureWidth(text: string): number {
  return stringWidth(text);
}

/** Returns the text, or its beginning and an ellipsis if it is wider. Never cuts a grapheme. */
export function cut(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (measureWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return kept + ELLIPSIS;
}

/** Returns the text in the colour of its cell. */
export function paint(cell: Cell, text: string, style: Style): string {
  return typeof cell === 'object' && cell !== null && 'tone' in cell ? style(cell.tone, text) : text;
}

/** Returns colours if the terminal gets them. */
export function detectStyle(environment: Readonly<Record<string, string | undefined>>): Style {
  if (!hasColours(environment)) return (_tone, text) => text;
  return (tone, text) => styleText(FORMATS[tone], text, { validateStream: false });
}
