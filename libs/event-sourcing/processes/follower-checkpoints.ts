import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/observability';
import { Database, entityTable, identifier, sql, type SqlFragment, type StoredValue } from '#libs/database';
import { newestPosition, newestPositionSql } from '../event-store/sequences.js';
import type { EventFollower } from './event-follower.js';
import { FollowerCheckpoint } from './follower-checkpoint.entity.js';
import { Leases, type LeasedTable } from './leases.js';

const followers = entityTable(FollowerCheckpoint);
const table = followers.quoted;
const LEASED: LeasedTable = { table, key: identifier('name'), columns: followers.selected, milliseconds: 10_000 };
const MAX_PAUSE_MILLISECONDS = 300_000;

/** How far followers have come, and which instance calls each of them: one at a time, under a lease of ten seconds. */
@Injectable()
export class FollowerCheckpoints {
  constructor(
    private readonly database: Database,
    private readonly leases: Leases,
    private readonly clock: Clock,
  ) {}

  /** Creates the checkpoint of a follower that has none, where it says that it starts. */
  async create({ name, startFrom }: EventFollower): Promise<void> {
    const position = startFrom === 'end' ? newestPosition : 0;
    await this.database.transaction((transaction) =>
      transaction.query(
        sql`INSERT INTO ${table} ("name", "position", "failures", "retry_at", "holder", "held_until")
            VALUES (${name}, ${position}, 0, 0, '', 0) ON CONFLICT ("name") DO NOTHING`,
      ),
    );
  }

  /**
   * Returns whether there is an event to handle that this instance may handle, and whose pause is over; undefined without a checkpoint. A pause
   * that ends later than any can, because the clock of the database was set back, is over. One statement, four searches in indexes.
   */
  async isDue({ name, types }: EventFollower): Promise<boolean | undefined> {
    const now = this.clock.now().getTime();
    const isOver = sql`("retry_at" <= ${now} OR "retry_at" > ${now + MAX_PAUSE_MILLISECONDS})`;
    const [row] = await this.database.reader.query<{ due: bigint | string }>(
      sql`SELECT CASE WHEN "position" < ${newestPositionSql(types)} AND ${isOver} AND ${this.leases.isFree(LEASED)} THEN 1 ELSE 0 END AS "due"
          FROM ${table} WHERE "name" = ${name}`,
    );
    return row && Number(row.due) === 1;
  }

  /** Acquires or renews the lease. @returns undefined if another instance holds it */
  async acquire({ name }: EventFollower): Promise<FollowerCheckpoint | undefined> {
    const [row] = await this.database.transaction(
      (transaction) => this.leases.acquire<Record<string, StoredValue>>(transaction, LEASED, [name]),
      { durable: false },
    );
    return row && followers.fromStored(row);
  }

  /** Notes that an event was handled. @returns false, with nothing changed, if another instance has acquired the lease since */
  advance(follower: EventFollower, position: bigint): Promise<boolean> {
    return this.change(follower, position, sql`"position" = ${position}, "failures" = 0, "retry_at" = 0`);
  }

  /** Notes that an event has failed so many times in a row. @returns milliseconds until it is tried again */
  async fail(follower: EventFollower, position: bigint, failures: number): Promise<number> {
    const pause = Math.min(1_000 * 2 ** (failures - 1), MAX_PAUSE_MILLISECONDS);
    const retryAt = this.clock.now().getTime() + pause;
    await this.change(follower, position, sql`"failures" = ${failures}, "retry_at" = ${retryAt}`);
    return pause;
  }

  /** Ends the leases that this instance has, so that another one can acquire them at once. */
  async release(names: readonly string[]): Promise<void> {
    await this.database.transaction((transaction) => this.leases.release(transaction, LEASED, names), { durable: false });
  }

  /** Returns the position of the last event that a follower has handled; undefined without a checkpoint. */
  async findPosition({ name }: EventFollower): Promise<bigint | undefined> {
    const [found] = await followers.read(this.database.reader, table, sql`WHERE "name" = ${name}`);
    return found?.position;
  }

  /** The position is compared too: this instance may have lost the lease and acquired it again while it handled the event. */
  private async change({ name }: EventFollower, position: bigint, assignments: SqlFragment): Promise<boolean> {
    const changed = await this.database.transaction(
      (transaction) =>
        transaction.query(
          sql`UPDATE ${table} SET ${assignments}
              WHERE "name" = ${name} AND ${this.leases.isHolder} AND "position" < ${position} RETURNING "name"`,
        ),
      { durable: false },
    );
    return changed.length > 0;
  }
}
