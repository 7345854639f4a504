/** RFC 8288 section 3: a target and its parameters. A quoted value may hold commas, semicolons and angle brackets. */
const LINK = /<([^>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,]*)))?/g;

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
      if (!Number.isSafeInteger(max) || max < 1) {
        throw new RangeError('max must be a whole number from 1, the greatest length of the array.');
      }
      const items: Item[] = [];
      for await (const item of iterate()) if (items.push(item) === max) break;
      return items;
    },
  };
}

/** Returns the query of the first link with the relation `next`. Of several `rel` of one link only the first counts (RFC 8288 section 3.3). */
export function nextQuery(header: string): URLSearchParams | undefined {
  for (const [, target = '', parameters = ''] of header.matchAll(LINK)) {
    const rel = [...parameters.matchAll(PARAMETER)].find(([, name = '']) => name.toLowerCase() === 'rel');
    const relations = (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes('next')) return new URLSearchParams(/\?[^#]*/.exec(target)?.[0] ?? '');
  }
  return undefined;
}
