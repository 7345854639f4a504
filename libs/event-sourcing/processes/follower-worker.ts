import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Database, entityTable, identifier, raw, sql, type SqlFragment, type StoredValue, type WriteTransaction } from '#libs/database';
import { Clock, Timers } from '#libs/observability';
import type { RecordedEvent } from '../event-store/event.js';
import { EventStore } from '../event-store/event-store.js';
import type { EventFollower } from './event-follower.js';
import { FollowerCheckpoint } from './follower-checkpoint.entity.js';
import { Leases, type LeasedTable } from './leases.js';
import { PollLoop } from './poll-loop.js';

const INTERVAL_MILLISECONDS = 1_000;
const RENEWAL_MILLISECONDS = 3_000;
const MAX_PAUSE_MILLISECONDS = 300_000;

const checkpoints = entityTable(FollowerCheckpoint);
const { quoted: table, selected: columns } = checkpoints;
const LEASED: LeasedTable = { table, key: identifier('name'), columns, milliseconds: 10_000 };

/** What the workers of all followers share. */
@Injectable()
export class FollowerDependencies {
  readonly logger = new Logger('EventFollower');

  constructor(
    readonly store: EventStore,
    readonly database: Database,
    readonly leases: Leases,
    readonly clock: Clock,
    readonly timers: Timers,
  ) {}
}

/** Calls one follower with the events after its checkpoint, while this instance holds its lease of ten seconds. */
export class FollowerWorker {
  readonly loop: PollLoop;

  constructor(
    readonly follower: EventFollower,
    private readonly dependencies: FollowerDependencies,
  ) {
    const onFailure = (error: unknown) => dependencies.logger.warn(`${follower.name} cannot continue and will retry: ${String(error)}`);
    this.loop = new PollLoop(() => this.handleDue(), INTERVAL_MILLISECONDS, dependencies.timers, onFailure);
  }

  /** Creates the checkpoint, unless there is one, where the follower says that it starts. */
  async createCheckpoint(): Promise<void> {
    const { name, startFrom } = this.follower;
    const { store, database } = this.dependencies;
    const position = startFrom === 'end' ? await store.lastPosition() : 0n;
    const created = { name, position, failures: 0, retryAt: new Date(0), holder: '', heldUntil: new Date(0) };
    const suffix = raw('ON CONFLICT ("name") DO NOTHING');
    await database.transaction((transaction) => checkpoints.insert(transaction, [created], { suffix }));
  }

  /** Returns how many seconds ago the oldest event was recorded that the follower has not handled, 0 if there is none. */
  async readAge(): Promise<{ readonly follower: string; readonly seconds: number }> {
    const { follower, dependencies } = this;
    const checkpoint = await this.readCheckpoint();
    const event = checkpoint && (await this.readNext(checkpoint.position));
    const age = event ? dependencies.clock.now().getTime() - event.recordedAt.getTime() : 0;
    return { follower: follower.name, seconds: Math.max(0, age) / 1_000 };
  }

  /** Resolves when the event in hand is handled and the lease has ended, so that another instance can acquire it at once. */
  async end(): Promise<void> {
    const { database, leases } = this.dependencies;
    await this.loop.end();
    const release = (transaction: WriteTransaction) => leases.release(transaction, LEASED, [this.follower.name]);
    await database.transaction(release, { durable: false }).catch(() => undefined);
  }

  private async handleDue(): Promise<void> {
    const known = await this.readCheckpoint();
    if (known && (this.isPaused(known) || !(await this.readNext(known.position)))) return;
    // It is new, or a backup from before it was restored.
    if (!known) await this.createCheckpoint();
    const checkpoint = await this.acquireLease();
    if (!checkpoint) return;
    const handling = this.handleAfter(checkpoint);
    while ((await this.dependencies.timers.within(handling, RENEWAL_MILLISECONDS)) === undefined) {
      await this.acquireLease().catch(() => undefined);
    }
    await handling;
  }

  private async readCheckpoint(): Promise<FollowerCheckpoint | undefined> {
    const [found] = await checkpoints.read(this.dependencies.database.reader, table, sql`WHERE "name" = ${this.follower.name}`);
    return found;
  }

  private async readNext(after: bigint): Promise<RecordedEvent | undefined> {
    const [event] = await this.dependencies.store.readAll({ after, types: this.follower.types, limit: 1 });
    return event;
  }

  /** A pause that ends later than any can, because the clock of the database was set back, is over. */
  private isPaused({ retryAt }: FollowerCheckpoint): boolean {
    const left = retryAt.getTime() - this.dependencies.clock.now().getTime();
    return left > 0 && left <= MAX_PAUSE_MILLISECONDS;
  }

  /** Acquires or renews the lease. @returns undefined if another instance holds it */
  private async acquireLease(): Promise<FollowerCheckpoint | undefined> {
    const { database, leases } = this.dependencies;
    const [row] = await database.transaction(
      (transaction) => leases.acquire<Record<string, StoredValue>>(transaction, LEASED, [this.follower.name]),
      { durable: false },
    );
    return row && checkpoints.fromStored(row);
  }

  /** Reads one event at a time, so that none is handled that the log has lost meanwhile. */
  private async handleAfter({ position, failures }: FollowerCheckpoint): Promise<void> {
    while (!this.loop.isEnding) {
      const event = await this.readNext(position);
      if (!event || !(await this.handle(event, failures))) return;
      [position, failures] = [event.position, 0];
      // Requests are served between two events.
      await nextTurn();
    }
  }

  /** Returns whether the event was handled and this instance may continue. */
  private async handle(event: RecordedEvent, failures: number): Promise<boolean> {
    const { follower, dependencies } = this;
    const { position, type } = event;
    try {
      await follower.handle(event);
    } catch (error) {
      const pause = Math.min(1_000 * 2 ** failures, MAX_PAUSE_MILLISECONDS);
      const retryAt = dependencies.clock.now().getTime() + pause;
      await this.change(position, sql`"failures" = ${failures + 1}, "retry_at" = ${retryAt}`);
      dependencies.logger.error(
        `${follower.name} failed on ${type} at position ${position}, which is tried again in ${pause / 1_000} s: ${String(error)}`,
        error instanceof Error ? error.stack : undefined,
      );
      return false;
    }
    return this.change(position, sql`"position" = ${position}, "failures" = 0, "retry_at" = 0`);
  }

  /**
   * Changes the checkpoint, unless another instance has acquired the lease since. The position is compared too: this instance may have lost
   * the lease and acquired it again while it handled the event.
   */
  private async change(position: bigint, assignments: SqlFragment): Promise<boolean> {
    const { database, leases } = this.dependencies;
    const isOwn = sql`"name" = ${this.follower.name} AND ${leases.isHolder} AND "position" < ${position}`;
    const changed = await database.transaction(
      (transaction) => transaction.query(sql`UPDATE ${table} SET ${assignments} WHERE ${isOwn} RETURNING "name"`),
      { durable: false },
    );
    return changed.length > 0;
  }
}
