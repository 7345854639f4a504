import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { Database, identifier, insertRows, isOneOf, join, raw, sql, type SqlFragment, type WriteTransaction } from '#libs/database';
import { isLeaseFree } from '#libs/processes';
import { PendingDeliveries } from './pending-deliveries.js';

export const PROGRESS_TABLE = 'webhook_progress';

/** Milliseconds for which an endpoint belongs to an instance that says nothing more. */
export const LEASE_MILLISECONDS = 10_000;

const table = identifier(PROGRESS_TABLE);
const columns = raw('"webhook_id", "starts_after", "position", "replay_position", "replay_until", "failing_since"');

/** Positions of events that are sent to an endpoint once more. */
export interface Replay {
  readonly position: bigint;
  readonly until: bigint;
}

/** How far an endpoint has come. */
export interface Progress {
  readonly webhookId: bigint;
  /** Up to here each event that is meant was sent once, whatever came of it. */
  readonly position: bigint;
  readonly replay?: Replay;
  /** When the first attempt failed of those that all have; undefined since one has succeeded. */
  readonly failingSince?: Date;
}

/** An endpoint, and the event behind which it is to be told what happens. */
export interface Claimed {
  readonly id: bigint;
  readonly startsAfter: bigint;
}

interface ProgressRow {
  readonly webhook_id: bigint | string;
  readonly position: bigint | string;
  readonly replay_position: bigint | string | null;
  readonly replay_until: bigint | string | null;
  readonly failing_since: bigint | string | null;
}

/** How far endpoints have come, and which instance sends to them: one at a time, by a lease. */
@Injectable()
export class EndpointProgress {
  private readonly holder = randomUUID();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly pending: PendingDeliveries,
  ) {}

  /**
   * Takes these endpoints, or holds on to them, but those that another instance has. One that was enabled anew begins at that.
   * @returns those that this instance has now
   */
  async claim(endpoints: readonly Claimed[]): Promise<Progress[]> {
    if (endpoints.length === 0) return [];
    return this.database.write(
      async (transaction) => {
        await this.prepare(transaction, endpoints);
        const now = this.clock.now().getTime();
        const rows = await transaction.query<ProgressRow>(
          sql`UPDATE ${table} SET "holder" = ${this.holder}, "held_until" = ${now + LEASE_MILLISECONDS}
              WHERE "webhook_id" ${isOneOf(endpoints.map(({ id }) => id))}
                AND ${isLeaseFree(table, { holder: this.holder, now, length: LEASE_MILLISECONDS })}
              RETURNING ${columns}`,
        );
        return rows.map(progressOf);
      },
      { durable: false },
    );
  }

  /** Gives endpoints back, for another instance to take at once. */
  async release(webhookIds: readonly bigint[]): Promise<void> {
    if (webhookIds.length === 0) return;
    await this.database.write(
      (transaction) =>
        transaction.query(
          sql`UPDATE ${table} SET "held_until" = 0 WHERE "holder" = ${this.holder} AND "webhook_id" ${isOneOf(webhookIds)}`,
        ),
      { durable: false },
    );
  }

  /** Those of these endpoints to which something is to be sent once more. */
  async replaying(webhookIds: readonly bigint[]): Promise<Progress[]> {
    if (webhookIds.length === 0) return [];
    const rows = await this.database.reader.query<ProgressRow>(
      sql`SELECT ${columns} FROM ${table} WHERE "webhook_id" ${isOneOf(webhookIds)} AND "replay_position" IS NOT NULL`,
    );
    return rows.map(progressOf);
  }

  /** How far an endpoint has come; undefined where nobody has begun to send to it. */
  async find(webhookId: bigint): Promise<Progress | undefined> {
    const [row] = await this.database.reader.query<ProgressRow>(sql`SELECT ${columns} FROM ${table} WHERE "webhook_id" = ${webhookId}`);
    return row && progressOf(row);
  }

  /**
   * Notes what has changed of an endpoint.
   * @returns false, with nothing noted, where another instance has it by now
   */
  async note(transaction: WriteTransaction, webhookId: bigint, changes: Partial<NotedProgress>): Promise<boolean> {
    const { position, failingSince, replayed } = changes;
    const assignments = [
      sql`"webhook_id" = "webhook_id"`,
      ...(position === undefined ? [] : [sql`"position" = ${position}`]),
      ...(failingSince === undefined ? [] : [sql`"failing_since" = ${failingSince?.getTime() ?? null}`]),
      ...(replayed === undefined ? [] : replayAssignments(replayed)),
    ];
    const noted = await transaction.query(
      sql`UPDATE ${table} SET ${join(assignments)} WHERE "webhook_id" = ${webhookId} AND "holder" = ${this.holder} RETURNING "webhook_id"`,
    );
    return noted.length > 0;
  }

  /** Has all sent once more that an endpoint was sent behind a position; what is under way already is taken in. */
  async replay(transaction: WriteTransaction, endpoint: Claimed, { position, until }: Replay): Promise<void> {
    await this.prepare(transaction, [endpoint]);
    await transaction.query(
      sql`UPDATE ${table} SET
            "replay_position" = CASE WHEN "replay_position" < ${position} THEN "replay_position" ELSE ${int64(position)} END,
            "replay_until" = CASE WHEN "replay_until" > ${until} THEN "replay_until" ELSE ${int64(until)} END
          WHERE "webhook_id" = ${endpoint.id}`,
    );
  }

  /** Forgets an endpoint, with what waits for it. */
  async remove(transaction: WriteTransaction, webhookId: bigint): Promise<void> {
    await transaction.query(sql`DELETE FROM ${table} WHERE "webhook_id" = ${webhookId}`);
    await this.pending.clear(transaction, [webhookId]);
  }

  /** Puts those that are new at their beginning, and those there that were disabled meanwhile. */
  private async prepare(transaction: WriteTransaction, endpoints: readonly Claimed[]): Promise<void> {
    const known = await transaction.query<{ webhook_id: bigint | string; starts_after: bigint | string }>(
      sql`SELECT "webhook_id", "starts_after" FROM ${table} WHERE "webhook_id" ${isOneOf(endpoints.map(({ id }) => id))}`,
    );
    const startsOf = new Map(known.map((row) => [BigInt(row.webhook_id), BigInt(row.starts_after)]));
    const begun = endpoints.filter(({ id, startsAfter }) => startsOf.get(id) !== startsAfter);
    if (begun.length === 0) return;
    const again = begun.map(({ id }) => id).filter((id) => startsOf.has(id));
    if (again.length > 0) {
      await this.pending.clear(transaction, again);
      await transaction.query(sql`DELETE FROM ${table} WHERE "webhook_id" ${isOneOf(again)}`);
    }
    const rows = begun.map(({ id, startsAfter }) => [id, startsAfter, startsAfter, 0]);
    await insertRows(transaction, { table, columns: ['webhook_id', 'starts_after', 'position', 'held_until'], rows });
  }
}

/** What may change of the progress of an endpoint; null for none any more. */
export interface NotedProgress {
  readonly position: bigint;
  readonly failingSince: Date | null;
  /** From where to where its replay has come. */
  readonly replayed: { readonly from: bigint; readonly to: bigint };
}

/** A replay may have been asked for again meanwhile, from further back: then that one is to be gone through. */
function replayAssignments({ from, to }: NotedProgress['replayed']): SqlFragment[] {
  const isOver = sql`"replay_position" = ${from} AND "replay_until" <= ${to}`;
  return [
    sql`"replay_position" = CASE WHEN ${isOver} THEN NULL WHEN "replay_position" = ${from} THEN ${int64(to)} ELSE "replay_position" END`,
    sql`"replay_until" = CASE WHEN ${isOver} THEN NULL ELSE "replay_until" END`,
  ];
}

/** A number whose type PostgreSQL could not tell from where it stands. */
function int64(value: bigint): SqlFragment {
  return sql`CAST(${value} AS BIGINT)`;
}

function progressOf({ webhook_id, position, replay_position, replay_until, failing_since }: ProgressRow): Progress {
  return {
    webhookId: BigInt(webhook_id),
    position: BigInt(position),
    ...(replay_position !== null &&
      replay_until !== null && { replay: { position: BigInt(replay_position), until: BigInt(replay_until) } }),
    ...(failing_since !== null && { failingSince: new Date(Number(failing_since)) }),
  };
}
