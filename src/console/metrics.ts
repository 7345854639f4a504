import type { MetricValue as PrometheusValue } from 'prom-client';
import type { MetricsRegistry } from '#libs/observability';

type MetricValue = PrometheusValue<string>;

/** Cumulative buckets of a histogram, ascending. */
export type Buckets = readonly { readonly upTo: number; readonly count: number }[];

/** Reads the samples of a metric. @throws Error that names it if no metric has that name */
export async function readValues(registry: MetricsRegistry, name: string): Promise<readonly MetricValue[]> {
  const metric = registry.getSingleMetric(name);
  if (!metric) throw new Error(`There is no metric ${name}, which the console shows.`);
  return (await metric.get()).values;
}

/** The samples added up by a name made of their labels. */
export function sumsBy(values: readonly MetricValue[], getName: (labels: MetricValue['labels']) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { labels, value } of values) {
    const name = getName(labels);
    sums.set(name, (sums.get(name) ?? 0) + value);
  }
  return sums;
}

/** The buckets of all series of a histogram together. */
export function mergeBuckets(values: readonly MetricValue[]): Buckets {
  const buckets = sumsBy(
    values.filter(({ labels }) => labels['le'] !== undefined),
    ({ le }) => String(le),
  );
  return [...buckets]
    .map(([bound, count]) => ({ upTo: bound === '+Inf' ? Infinity : Number(bound), count }))
    .sort((left, right) => left.upTo - right.upTo);
}

/** The observations between two readings of a histogram. */
export function subtractBuckets(after: Buckets, before: Buckets): Buckets {
  const counts = new Map(before.map(({ upTo, count }) => [upTo, count]));
  return after.map(({ upTo, count }) => ({ upTo, count: count - (counts.get(upTo) ?? 0) }));
}

/**
 * The quantile of the observations, interpolated within its bucket; the last finite bound if it lies beyond, null without observations.
 * @param share from 0 to 1
 */
export function quantile(buckets: Buckets, share: number): number | null {
  const rank = share * (buckets.at(-1)?.count ?? 0);
  if (rank === 0) return null;
  const index = buckets.findIndex(({ count }) => count >= rank);
  const lower = buckets[index - 1] ?? { upTo: 0, count: 0 };
  const upper = buckets[index];
  if (!upper || upper.upTo === Infinity) return lower.upTo;
  return lower.upTo + (upper.upTo - lower.upTo) * ((rank - lower.count) / (upper.count - lower.count));
}
