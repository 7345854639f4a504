import stringWidth from 'string-width';
import type { Style, Tone } from './style.js';

/** What stands in one place of a table or beside one label. */
export type Cell = string | number | bigint | boolean | null | undefined | TonedCell | WholeText;

export interface TonedCell {
  readonly tone: Tone;
  readonly text: string;
}

/** A text that is never cut. */
export class WholeText {
  constructor(readonly text: string) {}
}

/** Stands where there is nothing to show. */
export const NOTHING = '-';

const ELLIPSIS = '…';
// What ends a line, moves the cursor, or turns the direction of what follows, so that a text from a client could forge what is beside it.
const UNSHOWABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/** A text that stands out. */
export function toned(tone: Tone, text: string): TonedCell {
  return { tone, text };
}

/** The text of a cell on one line, in which nothing can rewrite a terminal: control and direction characters are written as escapes. */
export function textOf(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return NOTHING;
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  const text = typeof cell === 'object' ? cell.text : String(cell);
  return text.replaceAll(UNSHOWABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** How many columns of a terminal the text takes: two for wide characters, none for combining ones. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** The text if it is no wider, else its beginning and an ellipsis. Never cuts what is seen as one character. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(kept + segment) > width - 1) break;
    kept += segment;
  }
  return kept + ELLIPSIS;
}

/** The text in the colour of its cell. */
export function paint(cell: Cell, text: string, style: Style): string {
  return typeof cell === 'object' && cell !== null && 'tone' in cell ? style(cell.tone, text) : text;
}
