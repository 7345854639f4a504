import type { Metric, MetricValueWithName } from 'prom-client';
import { BucketTally } from './bucket-tally.js';
import type { MetricsRegistry } from './metrics-registry.js';

export type Labels = Readonly<Record<string, string | number>>;

export interface TalliedHistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  readonly registry: MetricsRegistry;
}

/**
 * A histogram for what happens with every request. prom-client's own finds its series by a text made of all labels at each
 * observation; this one gives the series out once.
 */
export class TalliedHistogram {
  private readonly series: { readonly labels: Labels; readonly tally: BucketTally }[] = [];

  constructor(private readonly options: TalliedHistogramOptions) {
    const { name, help, registry } = options;
    // The registry needs no more of a metric than its name and `get`; its type asks for one of prom-client's own classes.
    registry.registerMetric({
      name,
      get: () => Promise.resolve({ name, help, type: 'histogram', values: this.values() }),
    } as unknown as Metric);
  }

  /** A new series; its labels must not be those of another one. */
  addSeries(labels: Labels): BucketTally {
    const tally = new BucketTally(this.options.buckets);
    this.series.push({ labels, tally });
    return tally;
  }

  private values(): MetricValueWithName<string>[] {
    const { name, buckets } = this.options;
    return this.series.flatMap(({ labels, tally }) => [
      ...tally
        .cumulative()
        .map((value, index) => ({ metricName: `${name}_bucket`, labels: { ...labels, le: buckets[index] ?? '' }, value })),
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: tally.count },
      { metricName: `${name}_sum`, labels, value: tally.sum },
      { metricName: `${name}_count`, labels, value: tally.count },
    ]);
  }
}
