/** One page of a list, in the order of the numbers that stand for its items, such as their ids. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The number after which the next page begins; undefined on the last page. */
  readonly next: bigint | undefined;
}

/** Which page of a list is wanted. */
export interface PageRange {
  /** The most items to give, from 1. */
  readonly limit: number;
  /** Only items that follow the one with this number in the order of the list. */
  readonly after?: bigint | undefined;
  /** Default false: ascending. */
  readonly descending?: boolean | undefined;
}

/** Makes a page of items of which one more was asked for than the page may have, which tells whether another page follows. */
export function toPage<Item>(found: readonly Item[], limit: number, numberOf: (item: Item) => bigint): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? numberOf(last) : undefined };
}
