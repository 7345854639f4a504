import { textOf, type Cell } from './cell.js';
import { fields } from './fields.js';
import { table } from './table.js';
import { instant } from './units.js';
import type { Cells, View } from './view.js';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** What people see of a result for which nobody made a view: a table of several things, the members of one. */
export const generalView: View<unknown> = (value, terminal) => {
  if (Array.isArray(value)) return table('None.', membersOf)(value as readonly unknown[], terminal);
  return fields(membersOf)(value, terminal);
};

/** The members of an object, those of objects in it behind both names, as cells. */
function membersOf(value: unknown): Cells {
  if (!isObject(value)) return { value: cellOf(value) };
  const entries = Object.entries(value).flatMap(([name, member]): [string, Cell][] =>
    isObject(member)
      ? Object.entries(membersOf(member)).map(([inner, cell]) => [`${labelOf(name)} ${inner}`, cell])
      : [[labelOf(name), cellOf(member)]],
  );
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** `createdAt` as `created at`. */
function labelOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function cellOf(value: unknown): Cell {
  if (value instanceof Date || (typeof value === 'string' && INSTANT.test(value))) return instant(value);
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? JSON.stringify(item, digits) : textOf(cellOf(item)))).join(', ');
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return value as Cell;
  return undefined;
}

function digits(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
