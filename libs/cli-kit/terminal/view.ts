import type { Cell } from './cell.js';
import type { Style } from './style.js';

/** Where results for people are shown. */
export interface Terminal {
  /** Its width in columns. */
  readonly columns: number;
  readonly style: Style;
}

/** What people see of a value: lines without line breaks. */
export type View<Value> = (value: Value, terminal: Terminal) => readonly string[];

/** Cells by their headings or labels, in order. */
export type Cells = Readonly<Record<string, Cell>>;
