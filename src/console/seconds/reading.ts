import type { MetricsRegistry } from '#libs/operations';
import { sumsBy, valuesOf, type MetricValue } from '../metric-values.js';
import type { Buckets } from './buckets.js';

/** What has been counted since the service began, at one moment. */
export interface Reading {
  /** Requests by status: of three digits, or `aborted`. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly durations: Buckets;
  /** What the limiter decided, by outcome. */
  readonly decisions: ReadonlyMap<string, number>;
  readonly events: number;
  readonly appends: number;
  readonly groups: number;
  readonly commits: Buckets;
  readonly lockWaits: Buckets;
}

/** Reads the counters that metrics are made of. */
export async function takeReading(registry: MetricsRegistry): Promise<Reading> {
  const [requests, durations, decisions, events, groups, commits, lockWaits] = await Promise.all([
    valuesOf(registry, 'adoption_http_requests_total'),
    valuesOf(registry, 'adoption_http_request_duration_seconds'),
    valuesOf(registry, 'adoption_rate_limit_decisions_total'),
    valuesOf(registry, 'adoption_events_appended_total'),
    valuesOf(registry, 'adoption_append_group_size'),
    valuesOf(registry, 'adoption_append_commit_seconds'),
    valuesOf(registry, 'adoption_write_lock_wait_seconds'),
  ]);
  return {
    statuses: sumsBy(requests, 'status'),
    durations: bucketsOf(durations),
    decisions: sumsBy(decisions, 'outcome'),
    events: sum(events),
    appends: sum(groups.filter(({ metricName }) => metricName?.endsWith('_sum'))),
    groups: sum(groups.filter(({ metricName }) => metricName?.endsWith('_count'))),
    commits: bucketsOf(commits),
    lockWaits: bucketsOf(lockWaits),
  };
}

function sum(values: readonly MetricValue[]): number {
  return values.reduce((total, { value }) => total + value, 0);
}

/** The buckets of all series of a histogram together. */
function bucketsOf(values: readonly MetricValue[]): Buckets {
  const counts = new Map<number, number>();
  for (const { labels, value } of values) {
    if (labels['le'] === undefined) continue;
    const upTo = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
    counts.set(upTo, (counts.get(upTo) ?? 0) + value);
  }
  return [...counts].map(([upTo, count]) => ({ upTo, count })).sort((left, right) => left.upTo - right.upTo);
}
