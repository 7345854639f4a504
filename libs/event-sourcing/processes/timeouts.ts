import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CachedReading, Clock, MetricsRegistry, Timers } from '#libs/observability';
import { Database } from '#libs/database';
import { Leases } from './leases.js';
import { PollLoop } from './poll-loop.js';

/** Timeouts of one kind, such as orders that expire. A module registers it with the `TimeoutSchedule`. */
export interface TimeoutSource {
  /** Stable, lower case, such as `order-expiry`. */
  readonly name: string;
  /**
   * Returns the ids of the timeouts whose time is not after `now`, the oldest first, at most `limit`. Called every second, so it must
   * cost next to nothing if there are none.
   */
  due(now: Date, limit: number): Promise<readonly bigint[]>;
  /** Returns the earliest time that has not fired yet, past or future. */
  oldestDue(): Promise<Date | undefined>;
  /**
   * Issues the command of a timeout, after which `due` no longer returns it. Idempotent: it may be called again after the timeout has
   * fired, even at the same time by another instance. If it rejects, it is tried again.
   */
  fire(id: bigint): Promise<void>;
}

/** Injection token of whether timeouts fire and followers are called automatically. */
export const POLLS = Symbol('POLLS');

const LEASE_MILLISECONDS = 3_000;
const INTERVAL_MILLISECONDS = 1_000;
// Fired together, so that their events share a commit; few enough for requests to get their turn between them.
const BATCH = 32;

/**
 * Fires the timeouts of all modules when they are due. Polls every second; one instance at a time fires those of a source, under a lease.
 * Timeouts that were missed while no instance ran fire once as soon as one does.
 */
@Injectable()
export class TimeoutSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(TimeoutSchedule.name);
  private readonly loops = new Map<TimeoutSource, PollLoop>();

  constructor(
    private readonly leases: Leases,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly timers: Timers,
    registry: MetricsRegistry,
    @Inject(POLLS) private readonly polls: boolean,
  ) {
    // Read at most once a second, absent while the database cannot be read.
    const oldest = new CachedReading(() => this.readOldest());
    const help = 'Seconds since the oldest timeout that has not fired should have; 0 while none is due';
    registry.addGauge(`${registry.prefix}oldest_due_timeout_seconds`, help, async () => {
      const time = await oldest.get();
      return time === undefined ? [] : [[Math.max(0, this.clock.now().getTime() - time) / 1_000]];
    });
  }

  /** Adds the timeouts of a kind, before the application has started. @throws Error if the name is taken. */
  register(source: TimeoutSource): void {
    const { name } = source;
    if ([...this.loops.keys()].some((other) => other.name === name)) throw new Error(`Timeout source ${name} is registered twice.`);
    const onFailure = (error: unknown) => this.logger.warn(`No timeout of ${name} can fire, which is tried again: ${String(error)}`);
    const loop: PollLoop = new PollLoop(() => this.fireDue(source, loop), INTERVAL_MILLISECONDS, this.timers, onFailure);
    this.loops.set(source, loop);
  }

  onApplicationBootstrap(): void {
    if (this.polls) this.loops.forEach((loop) => loop.start());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.loops.values()].map((loop) => loop.end()));
  }

  /**
   * Fires the timeouts that are due at the time of the call or become due while it runs, each at most once. Resolves when this instance
   * can fire no more of them; failures are logged and tried again the next time. Never rejects.
   */
  async run(): Promise<void> {
    await Promise.all([...this.loops.values()].map((loop) => loop.run()));
  }

  private async fireDue(source: TimeoutSource, loop: PollLoop): Promise<void> {
    const tried = new Set<bigint>();
    const failures: unknown[] = [];
    try {
      while (!loop.isEnding) {
        const batch = await this.nextBatch(source, tried);
        if (batch.length === 0 || !(await this.acquireLease(source))) return;
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

  private acquireLease({ name }: TimeoutSource): Promise<boolean> {
    return this.database.transaction((transaction) => this.leases.acquireNamed(transaction, name, LEASE_MILLISECONDS), { durable: false });
  }

  /** Returns the oldest due timeouts that were not tried yet: one that cannot fire stays due and must not hold back later ones. */
  private async nextBatch(source: TimeoutSource, tried: ReadonlySet<bigint>): Promise<bigint[]> {
    for (let limit = BATCH; ; limit *= 2) {
      const due = await source.due(this.clock.now(), limit);
      const untried = due.filter((id) => !tried.has(id));
      if (untried.length >= BATCH || due.length < limit) return untried.slice(0, BATCH);
    }
  }

  /** In milliseconds since 1970; Infinity if there are no timeouts. */
  private async readOldest(): Promise<number> {
    const times = await Promise.all([...this.loops.keys()].map((source) => source.oldestDue()));
    return Math.min(...times.map((time) => time?.getTime() ?? Infinity));
  }
}

/** @returns the reasons of the failures */
async function fire(source: TimeoutSource, batch: readonly bigint[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(batch.map(async (id) => source.fire(id)));
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
}
