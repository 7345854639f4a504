import { int64Text } from './integers.js';

/** One value, or several of which an item has to have one. */
export type OneOrMore<Value> = Value | readonly Value[];

/** A point in time: a `Date`, or a text as RFC 3339 writes it, such as `2026-06-01T12:00:00Z`. */
export type Moment = Date | string;

/** Returns the value of a parameter that takes several; undefined if there is none. */
export function joined(values: OneOrMore<string> | undefined): string | undefined {
  return values === undefined ? undefined : [values].flat().join();
}

/** Returns the value of a parameter that takes several int64. @throws TypeError as `int64Text` */
export function int64Texts(values: unknown): string | undefined {
  return values === undefined ? undefined : joined([values].flat().map(int64Text));
}

/** @throws RangeError for a `Date` that is not valid */
export function momentText(moment: Moment | undefined): string | undefined {
  return typeof moment === 'object' ? moment.toISOString() : moment;
}
