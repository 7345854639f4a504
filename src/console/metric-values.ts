import type { MetricObjectWithValues, MetricValue as SomeValue } from 'prom-client';
import type { MetricsRegistry } from '#libs/operations';

/** A sample of a metric. That of a histogram tells its own name, such as `…_sum`. */
export type MetricValue = SomeValue<string> & { readonly metricName?: string };

/** A metric with its samples as they are now. @throws Error that names it where there is none of that name */
export function readMetric(registry: MetricsRegistry, name: string): Promise<MetricObjectWithValues<MetricValue>> {
  const metric = registry.getSingleMetric(name);
  if (!metric) throw new Error(`There is no metric ${name}, which the console shows.`);
  return metric.get();
}

/** The samples alone. */
export async function valuesOf(registry: MetricsRegistry, name: string): Promise<readonly MetricValue[]> {
  return (await readMetric(registry, name)).values;
}

/** The samples added up by the values of one label. */
export function sumsBy(values: readonly MetricValue[], label: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { labels, value } of values) {
    const name = String(labels[label]);
    sums.set(name, (sums.get(name) ?? 0) + value);
  }
  return sums;
}
