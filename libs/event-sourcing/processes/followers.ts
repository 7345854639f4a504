import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes, Database, entityTable, identifier, raw, sql, type SqlFragment, type StoredValue } from '#libs/database';
import { CachedReading, Clock, MetricsRegistry, Timers } from '#libs/observability';
import { EventRegistry, type DomainEvent, type RecordedEvent } from '../event-store/event.js';
import { EventStore } from '../event-store/event-store.js';
import { Leases, type LeasedTable } from './leases.js';
import { PollLoop } from './poll-loop.js';
import { POLLS } from './timeouts.js';

/**
 * Reacts to events of the log, also those of other modules. A subclass that is a provider of any Nest module is found by itself.
 *
 * `handle` is called with each event of its types after it is committed: in the order of the log, one at a time, by one instance at a time,
 * and by no replay or rebuild. At least once: an event is repeated if the process dies, or loses the database, before the checkpoint
 * behind the event is stored. To make a repetition harmless, give the command that `handle` sends an idempotency key of the event,
 * `{ scope: this.name, key: event.eventId }` (keys are kept for at least 24 hours), or let the decider find nothing to do the second time.
 *
 * If `handle` rejects, the same event is tried again after 1 second, then 2, 4 and so on up to 5 minutes; later events wait. An instance
 * that shuts down waits for the event in hand.
 */
export abstract class EventFollower<Event extends DomainEvent = DomainEvent> {
  /** Stable, lower case, such as `thank-adopters`. The checkpoint has this name: a follower with another name is a new one. */
  abstract readonly name: string;
  abstract readonly types: readonly Event['type'][];
  /** Where it starts when it first runs: after the last event that there is, or at the first event of the log. */
  readonly startFrom: 'end' | 'beginning' = 'end';

  abstract handle(event: RecordedEvent<Event>): Promise<void>;
}

/** How far a follower has come, and which instance calls it. */
@Entity('event_followers')
class FollowerCheckpoint {
  @PrimaryColumn(columnTypes.text) readonly name!: string;
  /** The position of the last event that it has handled. */
  @Column(columnTypes.int64) readonly position!: bigint;
  /** How often the event after it has failed. */
  @Column(columnTypes.integer) readonly failures!: number;
  /** When that is tried again. */
  @Column(columnTypes.time) readonly retryAt!: Date;
  @Column(columnTypes.text) readonly holder!: string;
  @Column(columnTypes.time) readonly heldUntil!: Date;
}

const INTERVAL_MILLISECONDS = 1_000;
const RENEWAL_MILLISECONDS = 3_000;
const MAX_PAUSE_MILLISECONDS = 300_000;

const checkpoints = entityTable(FollowerCheckpoint);
const table = checkpoints.quoted;
const LEASED: LeasedTable = { table, key: identifier('name'), columns: checkpoints.selected, milliseconds: 10_000 };
const NOT_DURABLE = { durable: false };

/**
 * Calls the followers of all modules: as soon as this instance commits an event, and within a second after another one does. The instance
 * that calls a follower has its lease of ten seconds.
 */
@Injectable()
export class FollowerProcess implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(EventFollower.name);
  private readonly loops = new Map<EventFollower, PollLoop>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly registry: EventRegistry,
    private readonly store: EventStore,
    private readonly database: Database,
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly timers: Timers,
    metrics: MetricsRegistry,
    @Inject(POLLS) private readonly polls: boolean,
  ) {
    // Read at most once a second, absent while the database cannot be read.
    const ages = new CachedReading(() => Promise.all([...this.loops.keys()].map((follower) => this.readAge(follower))));
    metrics.addGauge(
      `${metrics.prefix}follower_oldest_unhandled_seconds`,
      'Seconds since the oldest event that a follower has not handled was recorded; 0 while there is none',
      async () => ((await ages.get()) ?? []).map(({ follower, seconds }) => [seconds, { follower }]),
      ['follower'],
    );
  }

  /** @throws Error for followers that would not be called with all of their events */
  onModuleInit(): void {
    const providers = this.discovery.getProviders().map(({ instance }) => instance as unknown);
    const followers = new Set(providers.filter((provider): provider is EventFollower => provider instanceof EventFollower));
    for (const follower of followers) {
      const { name, types } = follower;
      const unknown = types.find((type) => !this.registry.types().includes(type));
      if (unknown !== undefined) throw new Error(`The follower ${name} follows ${unknown}, which is no event type of any module.`);
      if ([...this.loops.keys()].some((other) => other.name === name)) throw new Error('Two followers have the same name.');
      const onFailure = (error: unknown) => this.logger.warn(`${name} cannot continue and will retry: ${String(error)}`);
      const loop: PollLoop = new PollLoop(() => this.handleDue(follower, loop), INTERVAL_MILLISECONDS, this.timers, onFailure);
      this.loops.set(follower, loop);
    }
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.polls) return;
    // Before anything is served, so that a new follower misses nothing that happens from then on.
    for (const follower of this.loops.keys()) await this.createCheckpoint(follower);
    for (const loop of this.loops.values()) {
      loop.start();
      this.store.onCommit(() => loop.wake());
    }
  }

  /** Resolves when the events in hand are handled and the leases have ended, so that another instance can acquire them at once. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.loops.values()].map((loop) => loop.end()));
    const names = [...this.loops.keys()].map(({ name }) => name);
    if (names.length === 0) return;
    await this.database.transaction((transaction) => this.leases.release(transaction, LEASED, names), NOT_DURABLE).catch(() => undefined);
  }

  /**
   * Calls the followers with the events that were committed before the call, as far as this instance holds them and none fails. Never rejects:
   * failures are logged and tried again when their pause is over.
   */
  async run(): Promise<void> {
    await Promise.all([...this.loops.values()].map((loop) => loop.run()));
  }

  private async handleDue(follower: EventFollower, loop: PollLoop): Promise<void> {
    const known = await this.readCheckpoint(follower);
    if (known && (this.isPaused(known) || !(await this.readNext(follower, known.position)))) return;
    // It is new, or a backup from before it was restored.
    if (!known) await this.createCheckpoint(follower);
    const checkpoint = await this.acquireLease(follower);
    if (!checkpoint) return;
    const handling = this.handleAfter(follower, loop, checkpoint);
    while ((await this.timers.within(handling, RENEWAL_MILLISECONDS)) === undefined) {
      await this.acquireLease(follower).catch(() => undefined);
    }
    await handling;
  }

  /** Reads one event at a time, so that none is handled that the log has lost meanwhile. */
  private async handleAfter(follower: EventFollower, loop: PollLoop, { position, failures }: FollowerCheckpoint): Promise<void> {
    while (!loop.isEnding) {
      const event = await this.readNext(follower, position);
      if (!event || !(await this.handle(follower, event, failures))) return;
      [position, failures] = [event.position, 0];
      // Requests are served between two events.
      await nextTurn();
    }
  }

  /** Returns whether the event was handled and this instance may continue. */
  private async handle(follower: EventFollower, event: RecordedEvent, failures: number): Promise<boolean> {
    const { position, type } = event;
    try {
      await follower.handle(event);
    } catch (error) {
      const pause = Math.min(1_000 * 2 ** failures, MAX_PAUSE_MILLISECONDS);
      const retryAt = this.clock.now().getTime() + pause;
      await this.change(follower, position, sql`"failures" = ${failures + 1}, "retry_at" = ${retryAt}`);
      this.logger.error(
        `${follower.name} failed on ${type} at position ${position}, which is tried again in ${pause / 1_000} s: ${String(error)}`,
        error instanceof Error ? error.stack : undefined,
      );
      return false;
    }
    return this.change(follower, position, sql`"position" = ${position}, "failures" = 0, "retry_at" = 0`);
  }

  /** Creates the checkpoint, unless there is one, where the follower says that it starts. */
  private async createCheckpoint({ name, startFrom }: EventFollower): Promise<void> {
    const position = startFrom === 'end' ? await this.store.lastPosition() : 0n;
    const created = { name, position, failures: 0, retryAt: new Date(0), holder: '', heldUntil: new Date(0) };
    const suffix = raw('ON CONFLICT ("name") DO NOTHING');
    await this.database.transaction((transaction) => checkpoints.insert(transaction, [created], { suffix }));
  }

  private async readCheckpoint({ name }: EventFollower): Promise<FollowerCheckpoint | undefined> {
    return (await checkpoints.read(this.database.reader, table, sql`WHERE "name" = ${name}`))[0];
  }

  private async readNext({ types }: EventFollower, after: bigint): Promise<RecordedEvent | undefined> {
    return (await this.store.readAll({ after, types, limit: 1 }))[0];
  }

  /** A pause that ends later than any can, because the clock of the database was set back, is over. */
  private isPaused({ retryAt }: FollowerCheckpoint): boolean {
    const left = retryAt.getTime() - this.clock.now().getTime();
    return left > 0 && left <= MAX_PAUSE_MILLISECONDS;
  }

  /** Acquires or renews the lease. @returns undefined if another instance holds it */
  private async acquireLease({ name }: EventFollower): Promise<FollowerCheckpoint | undefined> {
    const [row] = await this.database.transaction(
      (transaction) => this.leases.acquire<Record<string, StoredValue>>(transaction, LEASED, [name]),
      NOT_DURABLE,
    );
    return row && checkpoints.fromStored(row);
  }

  /**
   * Changes the checkpoint, unless another instance has acquired the lease since. The position is compared too: this instance may have lost
   * the lease and acquired it again while it handled the event.
   */
  private async change({ name }: EventFollower, position: bigint, assignments: SqlFragment): Promise<boolean> {
    const isOwn = sql`"name" = ${name} AND ${this.leases.isHolder} AND "position" < ${position}`;
    const changed = await this.database.transaction(
      (transaction) => transaction.query(sql`UPDATE ${table} SET ${assignments} WHERE ${isOwn} RETURNING "name"`),
      NOT_DURABLE,
    );
    return changed.length > 0;
  }

  /** Returns how many seconds ago the oldest event was recorded that the follower has not handled, 0 if there is none. */
  private async readAge(follower: EventFollower): Promise<{ readonly follower: string; readonly seconds: number }> {
    const checkpoint = await this.readCheckpoint(follower);
    const event = checkpoint && (await this.readNext(follower, checkpoint.position));
    const age = event ? this.clock.now().getTime() - event.recordedAt.getTime() : 0;
    return { follower: follower.name, seconds: Math.max(0, age) / 1_000 };
  }
}
