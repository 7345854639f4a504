export { BoundedLabels, OTHER } from './bounded-labels.js';
export { BoundedSample, type BoundedSampleOptions } from './bounded-sample.js';
export type { BucketTally } from './bucket-tally.js';
export { MetricsModule } from './metrics.module.js';
export { MetricsRegistry } from './metrics-registry.js';
export { TalliedHistogram, type Labels, type TalliedHistogramOptions } from './tallied-histogram.js';
