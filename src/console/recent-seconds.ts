import { monitorEventLoopDelay, type EventLoopUtilization, type IntervalHistogram } from 'node:perf_hooks';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock, MetricsRegistry } from '#libs/observability';
import { mergeBuckets, quantile, readValues, subtractBuckets, sum, sumsBy } from './metrics.js';

const SECOND = 1_000;
const SECONDS_KEPT = 300;
const LOOP_RESOLUTION_MILLISECONDS = 20;

/** Counts of each of the last 300 seconds. Kept while no page is open too, so that a page opened in an incident shows how it began. */
@Injectable()
export class RecentSeconds implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private points: Readonly<Record<string, number | null>>[] = [];
  private last = 0;
  private reading: Reading | undefined;
  private memory = readMemory();
  private utilization: EventLoopUtilization = performance.eventLoopUtilization();
  private readonly delay: IntervalHistogram = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MILLISECONDS });
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly registry: MetricsRegistry,
    private readonly clock: Clock,
  ) {}

  /** @throws Error that names a missing metric */
  async onApplicationBootstrap(): Promise<void> {
    this.reading = await readCounters(this.registry);
    this.delay.enable();
    this.timer = setInterval(() => void this.addPoint(), SECOND).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
    this.delay.disable();
  }

  /**
   * The seconds after the one with this number; all if there is no such number, as after a restart.
   * @returns rows in the order of the columns, oldest first, null for a second without a measurement; and the number of the last one, from 1
   */
  after(number: number) {
    const wanted = number >= 0 && number <= this.last ? Math.min(this.last - number, this.points.length) : this.points.length;
    const rows = this.points.slice(this.points.length - wanted);
    return { columns: Object.keys(this.points.at(-1) ?? {}), last: this.last, rows: rows.map((point) => Object.values(point)) };
  }

  private async addPoint(): Promise<void> {
    const reading = await readCounters(this.registry);
    const time = round(this.clock.now().getTime() / 1_000);
    if (this.reading) this.points.push({ time, ...compareReadings(this.reading, reading), ...this.measureProcess() });
    this.reading = reading;
    this.last += 1;
    this.points = this.points.slice(-SECONDS_KEPT);
  }

  private measureProcess() {
    const before = this.utilization;
    this.utilization = performance.eventLoopUtilization();
    const loopDelay = Math.max(0, this.delay.percentile(99) / 1e6 - LOOP_RESOLUTION_MILLISECONDS);
    this.delay.reset();
    this.memory = readMemory() ?? this.memory;
    const { utilization } = performance.eventLoopUtilization(this.utilization, before);
    return {
      memory: this.memory?.memory ?? null,
      heap: this.memory?.heap ?? null,
      loopDelay: round(loopDelay),
      loopUse: round(utilization),
    };
  }
}

/** Undefined if the process has no file descriptor left, with which Node reads it. */
function readMemory(): { readonly memory: number; readonly heap: number } | undefined {
  try {
    const { rss, heapUsed } = process.memoryUsage();
    return { memory: rss, heap: heapUsed };
  } catch {
    return undefined;
  }
}

type Reading = Awaited<ReturnType<typeof readCounters>>;

/** Counters since the start: requests by the first character of their status, 2 to 5 or a for `aborted`, and decisions by outcome. */
async function readCounters(registry: MetricsRegistry) {
  const [requests, durations, decisions, events, groups, commits, lockWaits] = await Promise.all([
    readValues(registry, 'adoption_http_requests_total'),
    readValues(registry, 'adoption_http_request_duration_seconds'),
    readValues(registry, 'adoption_rate_limit_decisions_total'),
    readValues(registry, 'adoption_events_appended_total'),
    readValues(registry, 'adoption_append_group_size'),
    readValues(registry, 'adoption_append_commit_seconds'),
    readValues(registry, 'adoption_write_lock_wait_seconds'),
  ]);
  return {
    requests: sumsBy(requests, ({ status }) => String(status).charAt(0)),
    durations: mergeBuckets(durations),
    decisions: sumsBy(decisions, ({ outcome }) => String(outcome)),
    events: sum(events),
    appends: sum(groups, '_sum'),
    groups: sum(groups, '_count'),
    commits: mergeBuckets(commits),
    lockWaits: mergeBuckets(lockWaits),
  };
}

/** What happened between two readings, which are about a second apart: counts, and times in milliseconds. */
function compareReadings(before: Reading, after: Reading) {
  const growth = (counts: 'requests' | 'decisions', name: string) => (after[counts].get(name) ?? 0) - (before[counts].get(name) ?? 0);
  const readQuantile = (histogram: 'durations' | 'commits' | 'lockWaits', share: number) => {
    const seconds = quantile(subtractBuckets(after[histogram], before[histogram]), share);
    return seconds === null ? null : round(seconds * 1_000);
  };
  const groups = after.groups - before.groups;
  return {
    success: growth('requests', '2'),
    redirection: growth('requests', '3'),
    clientError: growth('requests', '4'),
    serverError: growth('requests', '5'),
    aborted: growth('requests', 'a'),
    p50: readQuantile('durations', 0.5),
    p99: readQuantile('durations', 0.99),
    admitted: growth('decisions', 'admitted'),
    refused: growth('decisions', 'refused'),
    banned: growth('decisions', 'banned'),
    events: after.events - before.events,
    groupSize: groups === 0 ? null : round((after.appends - before.appends) / groups),
    commitP99: readQuantile('commits', 0.99),
    lockWaitP99: readQuantile('lockWaits', 0.99),
  };
}

/** Three decimals are more than anybody reads. */
function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
