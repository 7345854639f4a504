/** The items of a list, page after page. Each loop over them begins again at the first page. */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** The first `max` items, fewer if there are not as many. Pages behind them are not asked for. */
  toArray(bound: { readonly max: number }): Promise<Item[]>;
}

/** @param iterate begins at the first page */
export function pagesOf<Item>(iterate: () => AsyncGenerator<Item, void>): Pages<Item> {
  return {
    [Symbol.asyncIterator]: iterate,
    toArray: async ({ max }) => {
      if (!Number.isSafeInteger(max) || max < 1) throw new RangeError('max is a whole number from 1: how many items the array may have.');
      const items: Item[] = [];
      for await (const item of iterate()) if (items.push(item) === max) break;
      return items;
    },
  };
}
