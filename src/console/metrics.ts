import type { MetricObjectWithValues, MetricValue as PrometheusValue } from 'prom-client';
import type { MetricsRegistry } from '#libs/observability';

/** A sample of a metric. Those of a histogram have their own names, such as `…_sum`. */
type MetricValue = PrometheusValue<string> & { readonly metricName?: string };

/** Cumulative buckets of a histogram, ascending. */
export type Buckets = readonly { readonly upTo: number; readonly count: number }[];

/** Reads a metric with its samples. @throws Error that names it if no metric has that name */
export function readMetric(registry: MetricsRegistry, name: string): Promise<MetricObjectWithValues<MetricValue>> {
  const metric = registry.getSingleMetric(name);
  if (!metric) throw new Error(`There is no metric ${name}, which the console shows.`);
  return metric.get();
}

/** The samples of a metric. */
export async function readValues(registry: MetricsRegistry, name: string): Promise<readonly MetricValue[]> {
  return (await readMetric(registry, name)).values;
}

/** The sum of samples; of a histogram, of those whose name ends in `suffix`. */
export function sum(values: readonly MetricValue[], suffix?: string): number {
  return values.reduce((total, { metricName, value }) => total + (suffix && !metricName?.endsWith(suffix) ? 0 : value), 0);
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
