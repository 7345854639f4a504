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

/** Reads a page by asking for one item more than wanted, which tells whether another page follows. */
export async function toPage<Range extends PageRange, Item>(
  range: Range,
  read: (range: Range) => Promise<readonly Item[]>,
  numberOf: (item: Item) => bigint,
): Promise<Page<Item>> {
  const found = await read({ ...range, limit: range.limit + 1 });
  const items = found.slice(0, range.limit);
  const last = items.at(-1);
  return { items, next: found.length > range.limit && last !== undefined ? numberOf(last) : undefined };
}
