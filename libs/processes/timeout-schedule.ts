import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { ProcessLeases } from './process-leases.js';
import { TimeoutCatalog } from './timeout-catalog.js';
import type { TimeoutSource } from './timeout-source.js';

export const POLLS = Symbol('whether this process looks for timeouts by itself');

const INTERVAL_MILLISECONDS = 1_000;
// Fired together, so that their events share a commit; few enough for requests to get their turn between them.
const BATCH = 32;

/**
 * Fires the timeouts of all modules when their time has come: looks for them every second, and has one instance at a time fire those of a
 * source. What was missed while no instance ran fires once when one does.
 */
@Injectable()
export class TimeoutSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(TimeoutSchedule.name);
  /** The names of those that could not be looked at the last time. */
  private readonly unreachable = new Set<string>();
  private last: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private isEnding = false;

  constructor(
    private readonly catalog: TimeoutCatalog,
    private readonly leases: ProcessLeases,
    private readonly clock: Clock,
    @Inject(POLLS) private readonly polls: boolean,
  ) {}

  onApplicationBootstrap(): void {
    if (this.polls) void this.poll();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    clearTimeout(this.timer);
    await this.last;
  }

  /**
   * Fires what is due at the time of the call or while it runs, each at most once. Resolves when nothing is left that this instance can
   * fire: what failed is logged and tried again the next time. Never rejects.
   */
  run(): Promise<void> {
    return (this.last = this.last.then(() => this.fireAll()));
  }

  private async poll(): Promise<void> {
    await this.run();
    if (!this.isEnding) this.timer = setTimeout(() => void this.poll(), INTERVAL_MILLISECONDS).unref();
  }

  private async fireAll(): Promise<void> {
    await Promise.all(this.catalog.all().map((source) => this.attempt(source)));
  }

  private async attempt(source: TimeoutSource): Promise<void> {
    const { name } = source;
    try {
      await this.fireDue(source);
      this.unreachable.delete(name);
    } catch (error) {
      if (!this.unreachable.has(name)) this.logger.warn(`No timeout of ${name} can fire, which is tried again: ${String(error)}`);
      this.unreachable.add(name);
    }
  }

  private async fireDue(source: TimeoutSource): Promise<void> {
    const tried = new Set<bigint>();
    const failures: unknown[] = [];
    try {
      while (!this.isEnding) {
        const batch = await this.nextBatch(source, tried);
        if (batch.length === 0 || !(await this.leases.take(source.name))) return;
        for (const id of batch) tried.add(id);
        failures.push(...(await fire(source, batch)));
      }
    } finally {
      const [first] = failures;
      if (failures.length > 0) {
        this.logger.error(`${failures.length} of the timeouts of ${source.name} did not fire, which is tried again: ${String(first)}`);
      }
    }
  }

  /** The oldest that are due but those that were tried: what cannot fire stays due, and must not hold back what is behind it. */
  private async nextBatch(source: TimeoutSource, tried: ReadonlySet<bigint>): Promise<bigint[]> {
    for (let limit = BATCH; ; limit *= 2) {
      const due = await source.due(this.clock.now(), limit);
      const untried = due.filter((id) => !tried.has(id));
      if (untried.length >= BATCH || due.length < limit) return untried.slice(0, BATCH);
    }
  }
}

/** @returns why those failed that did */
async function fire(source: TimeoutSource, batch: readonly bigint[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(batch.map(async (id) => source.fire(id)));
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
}
