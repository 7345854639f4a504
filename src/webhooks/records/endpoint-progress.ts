import { Injectable } from '@nestjs/common';
import {
  Database,
  entityTable,
  identifier,
  isOneOf,
  join,
  sql,
  type SqlFragment,
  type StoredValue,
  type WriteTransaction,
} from '#libs/database';
import { Leases, type LeasedTable } from '#libs/event-sourcing';
import type { StoredWebhook } from '../domain/webhook.js';
import { PendingDelivery } from './delivery.entity.js';
import { ProgressRow } from './endpoint-progress.entity.js';

/** How long an endpoint is leased to an instance that does not renew the lease. */
export const LEASE_MILLISECONDS = 10_000;

const stored = entityTable(ProgressRow);
const { quoted: table, selected: columns } = stored;
const leasedTable: LeasedTable = { table, key: identifier('webhook_id'), columns, milliseconds: LEASE_MILLISECONDS };

/** Positions between which events are sent to an endpoint again. */
export interface Replay {
  readonly position: bigint;
  readonly until: bigint;
}

/** How far an endpoint has come when its progress is written. */
export interface ReachedProgress {
  readonly position: bigint;
  readonly failingSince: Date | undefined;
  /** The positions between which a replay has sent all events since the last write. */
  readonly replayed: Replay | undefined;
}

/** An endpoint and the position of the event behind which events are sent to it. */
type EndpointStart = Pick<StoredWebhook, 'id' | 'startsAfter'>;

/** How far endpoints have come, and which instance sends to them: one at a time, under a lease. */
@Injectable()
export class EndpointProgress {
  constructor(
    private readonly database: Database,
    private readonly leases: Leases,
  ) {}

  /**
   * Acquires or renews the leases of these endpoints, skipping endpoints leased elsewhere. An endpoint that was enabled again begins there.
   * @returns the progress of the endpoints that this instance holds now
   */
  async acquire(endpoints: readonly EndpointStart[]): Promise<ProgressRow[]> {
    if (endpoints.length === 0) return [];
    const ids = endpoints.map(({ id }) => id);
    const acquired = await this.database.transaction(
      async (transaction) => {
        await this.prepare(transaction, endpoints);
        return this.leases.acquire<Record<string, StoredValue | null>>(transaction, leasedTable, ids);
      },
      { durable: false },
    );
    return acquired.map((row) => stored.fromStored(row));
  }

  /** Gives endpoints back, so that another instance can acquire them at once. */
  async release(webhookIds: readonly bigint[]): Promise<void> {
    if (webhookIds.length === 0) return;
    await this.database.transaction((transaction) => this.leases.release(transaction, leasedTable, webhookIds), { durable: false });
  }

  /** Returns the replays of these endpoints that are under way, by the endpoint's id. */
  async replays(webhookIds: readonly bigint[]): Promise<ReadonlyMap<bigint, Replay>> {
    if (webhookIds.length === 0) return new Map();
    const rows = await this.read(sql`"webhook_id" ${isOneOf(webhookIds)} AND "replay_position" IS NOT NULL`);
    return new Map(rows.map(({ webhookId, replayPosition: position = 0n, replayUntil: until = 0n }) => [webhookId, { position, until }]));
  }

  /** Returns how far an endpoint has come; undefined if nothing was sent to it yet. */
  async find(webhookId: bigint): Promise<ProgressRow | undefined> {
    const [found] = await this.read(sql`"webhook_id" = ${webhookId}`);
    return found;
  }

  /**
   * Writes how far an endpoint has come.
   * @returns false, with nothing changed, if another instance has acquired the endpoint
   */
  async change(transaction: WriteTransaction, webhookId: bigint, { position, failingSince, replayed }: ReachedProgress): Promise<boolean> {
    const assignments = [
      sql`"position" = ${position}`,
      sql`"failing_since" = ${failingSince?.getTime() ?? null}`,
      ...(replayed ? replayAssignments(replayed) : []),
    ];
    const changed = await transaction.query(
      sql`UPDATE ${table} SET ${join(assignments)} WHERE "webhook_id" = ${webhookId} AND ${this.leases.isHolder} RETURNING "webhook_id"`,
    );
    return changed.length > 0;
  }

  /** Has the events between two positions sent to an endpoint again; a replay that is under way is extended to them. */
  async replay(transaction: WriteTransaction, endpoint: EndpointStart, { position, until }: Replay): Promise<void> {
    await this.prepare(transaction, [endpoint]);
    await transaction.query(
      sql`UPDATE ${table} SET
            "replay_position" = CASE WHEN "replay_position" < ${position} THEN "replay_position" ELSE ${int64(position)} END,
            "replay_until" = CASE WHEN "replay_until" > ${until} THEN "replay_until" ELSE ${int64(until)} END
          WHERE "webhook_id" = ${endpoint.id}`,
    );
  }

  /**
   * Sets endpoints that are new, or were enabled again, to their start, and removes what was due to them before. Does nothing for a start that
   * is over: an instance may still know an endpoint as it was before.
   */
  async prepare(transaction: WriteTransaction, endpoints: readonly EndpointStart[]): Promise<void> {
    const known = await stored.read(transaction, table, sql`WHERE "webhook_id" ${isOneOf(endpoints.map(({ id }) => id))}`);
    const starts = new Map(known.map(({ webhookId, startsAfter }) => [webhookId, startsAfter]));
    const starting = endpoints.filter(({ id, startsAfter }) => startsAfter > (starts.get(id) ?? -1n));
    const enabledAgain = starting.map(({ id }) => id).filter((id) => starts.has(id));
    if (enabledAgain.length > 0) await this.remove(transaction, enabledAgain);
    const rows = starting.map(({ id: webhookId, startsAfter }) => ({ webhookId, startsAfter, position: startsAfter, heldUntil: 0 }));
    stored.insert(transaction, rows);
  }

  /** Removes the progress of endpoints and the messages that are due to them. */
  async remove(transaction: WriteTransaction, webhookIds: readonly bigint[]): Promise<void> {
    for (const each of [table, entityTable(PendingDelivery).quoted]) {
      await transaction.query(sql`DELETE FROM ${each} WHERE "webhook_id" ${isOneOf(webhookIds)}`);
    }
  }

  private read(condition: SqlFragment): Promise<ProgressRow[]> {
    return stored.read(this.database.reader, table, sql`WHERE ${condition}`);
  }
}

/** If another replay was requested meanwhile, from further back, that one remains. */
function replayAssignments({ position: from, until: to }: Replay): SqlFragment[] {
  const isOver = sql`"replay_position" = ${from} AND "replay_until" <= ${to}`;
  return [
    sql`"replay_position" = CASE WHEN ${isOver} THEN NULL WHEN "replay_position" = ${from} THEN ${int64(to)} ELSE "replay_position" END`,
    sql`"replay_until" = CASE WHEN ${isOver} THEN NULL ELSE "replay_until" END`,
  ];
}

/** A parameter whose type PostgreSQL cannot infer. */
function int64(value: bigint): SqlFragment {
  return sql`CAST(${value} AS BIGINT)`;
}
