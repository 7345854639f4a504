import { int64Text } from './integers.js';

/** One value, or several of which an item has to have one. */
export type OneOrMore<Value> = Value | readonly Value[];

/** A point in time: a `Date`, or a text as RFC 3339 writes it, such as `2026-06-01T12:00:00Z`. */
export type Moment = Date | string;

/** Returns the value of a parameter that takes several int64. @throws TypeError as `int64Text` */
export function int64Texts(values: unknown): string | undefined {
  return values === undefined ? undefined : [values].flat().map(int64Text).join();
}
