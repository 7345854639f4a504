/** The buckets of a histogram as Prometheus counts them: each holds what the ones before it do, ascending. */
export type Buckets = readonly { readonly upTo: number; readonly count: number }[];

/** What was observed between two readings of a histogram. */
export function between(before: Buckets, after: Buckets): Buckets {
  const counts = new Map(before.map(({ upTo, count }) => [upTo, count]));
  return after.map(({ upTo, count }) => ({ upTo, count: count - (counts.get(upTo) ?? 0) }));
}

/** How many observations there are. */
export function observations(buckets: Buckets): number {
  return buckets.at(-1)?.count ?? 0;
}

/**
 * The value below which a share of the observations is, as if they lay evenly in their buckets; the bound of the last finite bucket for
 * what is beyond it, null where nothing was observed.
 * @param share from 0 to 1
 */
export function quantile(buckets: Buckets, share: number): number | null {
  const rank = share * observations(buckets);
  if (rank === 0) return null;
  const index = buckets.findIndex(({ count }) => count >= rank);
  const lower = buckets[index - 1] ?? { upTo: 0, count: 0 };
  const upper = buckets[index];
  if (!upper || upper.upTo === Infinity) return lower.upTo;
  return lower.upTo + (upper.upTo - lower.upTo) * ((rank - lower.count) / (upper.count - lower.count));
}
