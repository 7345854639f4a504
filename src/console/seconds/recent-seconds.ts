import { monitorEventLoopDelay, type EventLoopUtilization, type IntervalHistogram } from 'node:perf_hooks';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { MetricsRegistry } from '#libs/operations';
import { pointBetween, POINT_COLUMNS, type Point } from './point.js';
import { takeReading, type Reading } from './reading.js';

const SECOND = 1_000;
const KEPT = 300;
const LOOP_RESOLUTION_MILLISECONDS = 20;

/** The seconds that a page lacks. */
export interface Points {
  readonly columns: readonly string[];
  /** The number of the last one; the first since the start is 1. */
  readonly last: number;
  /** The oldest first, each in the order of the columns. */
  readonly rows: readonly Point[];
}

/** What was counted in each of the last 300 seconds, also while nobody looks, so that a page that is opened shows how it came about. */
@Injectable()
export class RecentSeconds implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private points: Point[] = [];
  private last = 0;
  private reading: Reading | undefined;
  private utilization: EventLoopUtilization = performance.eventLoopUtilization();
  private readonly delay: IntervalHistogram = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MILLISECONDS });
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly registry: MetricsRegistry,
    private readonly clock: Clock,
  ) {}

  /** @throws Error that names a metric which is not there */
  async onApplicationBootstrap(): Promise<void> {
    this.reading = await takeReading(this.registry);
    this.delay.enable();
    this.timer = setInterval(() => void this.note(), SECOND).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
    this.delay.disable();
  }

  /** The seconds after the one of a number; all where there is none of that number, as after a new start. */
  after(number: number): Points {
    const wanted = number >= 0 && number <= this.last ? Math.min(this.last - number, this.points.length) : this.points.length;
    return { columns: POINT_COLUMNS, last: this.last, rows: this.points.slice(this.points.length - wanted) };
  }

  private async note(): Promise<void> {
    const reading = await takeReading(this.registry);
    if (this.reading) this.points.push(pointBetween(this.reading, reading, { time: this.clock.now(), ...this.process() }));
    this.reading = reading;
    this.last += 1;
    this.points = this.points.slice(-KEPT);
  }

  private process() {
    const before = this.utilization;
    this.utilization = performance.eventLoopUtilization();
    const loopDelay = Math.max(0, this.delay.percentile(99) / 1e6 - LOOP_RESOLUTION_MILLISECONDS);
    this.delay.reset();
    const { rss, heapUsed } = process.memoryUsage();
    const { utilization } = performance.eventLoopUtilization(this.utilization, before);
    return { memory: rss, heap: heapUsed, loopDelay, loopUse: utilization };
  }
}
