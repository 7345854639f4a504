import type { EventLoopUtilization } from 'node:perf_hooks';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock, MetricsRegistry } from '#libs/observability';
import { mergeBuckets, quantile, readValues, subtractBuckets, sumsBy } from './metrics.js';

const SECOND = 1_000;
const SECONDS_KEPT = 300;

/** Counts of each of the last 300 seconds. Kept while no page is open too, so that a page opened in an incident shows how it began. */
@Injectable()
export class RecentSeconds implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private points: Readonly<Record<string, number | null>>[] = [];
  private reading: Reading | undefined;
  private utilization: EventLoopUtilization = performance.eventLoopUtilization();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly registry: MetricsRegistry,
    private readonly clock: Clock,
  ) {}

  /** @throws Error that names a missing metric */
  async onApplicationBootstrap(): Promise<void> {
    this.reading = await readCounters(this.registry);
    this.timer = setInterval(() => void this.addPoint(), SECOND).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Returns the values of each second by column, oldest first; null for what was not measured. */
  series(): Readonly<Record<string, readonly (number | null)[]>> {
    const columns = Object.keys(this.points.at(-1) ?? {});
    return Object.fromEntries(columns.map((column) => [column, this.points.map((point) => point[column] ?? null)]));
  }

  private async addPoint(): Promise<void> {
    const reading = await readCounters(this.registry);
    const time = round(this.clock.now().getTime() / 1_000);
    if (this.reading) this.points.push({ time, ...compareReadings(this.reading, reading), loopUse: this.measureLoopUse() });
    this.reading = reading;
    this.points = this.points.slice(-SECONDS_KEPT);
  }

  private measureLoopUse(): number {
    const before = this.utilization;
    this.utilization = performance.eventLoopUtilization();
    return round(performance.eventLoopUtilization(this.utilization, before).utilization);
  }
}

type Reading = Awaited<ReturnType<typeof readCounters>>;

/** Counters since the start: requests by the first character of their status, 2 to 5 or a for `aborted`, and decisions by outcome. */
async function readCounters(registry: MetricsRegistry) {
  const read = (name: string) => readValues(registry, `adoption_${name}`);
  return {
    requests: sumsBy(await read('http_requests_total'), ({ status }) => String(status).charAt(0)),
    decisions: sumsBy(await read('rate_limit_decisions_total'), ({ outcome }) => String(outcome)),
    events: sumsBy(await read('events_appended_total'), () => 'all'),
    durations: mergeBuckets(await read('http_request_duration_seconds')),
    commits: mergeBuckets(await read('append_commit_seconds')),
    lockWaits: mergeBuckets(await read('write_lock_wait_seconds')),
    memory: await read('process_resident_memory_bytes'),
  };
}

/** What happened between two readings, which are about a second apart: counts, and times in milliseconds. */
function compareReadings(before: Reading, after: Reading) {
  const growth = (counts: 'requests' | 'decisions' | 'events', name: string) =>
    (after[counts].get(name) ?? 0) - (before[counts].get(name) ?? 0);
  const readQuantile = (histogram: 'durations' | 'commits' | 'lockWaits', share: number) => {
    const seconds = quantile(subtractBuckets(after[histogram], before[histogram]), share);
    return seconds === null ? null : round(seconds * 1_000);
  };
  return {
    success: growth('requests', '2'),
    redirection: growth('requests', '3'),
    clientError: growth('requests', '4'),
    serverError: growth('requests', '5'),
    aborted: growth('requests', 'a'),
    refused: growth('decisions', 'refused') + growth('decisions', 'banned'),
    p50: readQuantile('durations', 0.5),
    p99: readQuantile('durations', 0.99),
    events: growth('events', 'all'),
    commitP99: readQuantile('commits', 0.99),
    lockWaitP99: readQuantile('lockWaits', 0.99),
    memory: after.memory[0] ? round(after.memory[0].value / 1e6) : null,
  };
}

/** Three decimals are more than anybody reads. */
function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
