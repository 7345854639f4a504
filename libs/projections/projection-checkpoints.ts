import { join, raw, sql, type SqlRunner, type WriteTransaction } from '#libs/database';
import type { Projection } from './projection.js';

/** Where a projection is. */
export interface ProjectionCheckpoint {
  readonly name: string;
  /** The projection version that its tables were built with; 0 where they have never been built. */
  readonly version: number;
  /** How often its tables have been built. */
  readonly generation: number;
  /** The position of the last event that it applied. */
  readonly position: bigint;
  /** The rebuild that is under way, if any. */
  readonly rebuildId: string | null;
}

interface CheckpointRow {
  readonly name: string;
  readonly version: bigint | string;
  readonly generation: bigint | string;
  readonly position: bigint | string;
  readonly rebuild_id: string | null;
}

const table = raw('"projection_checkpoints"');

/** The checkpoint of a projection; one of version 0 where it has never been built. */
export async function readCheckpoint(runner: SqlRunner, name: string): Promise<ProjectionCheckpoint> {
  const rows = await runner.query<CheckpointRow>(
    sql`SELECT "name", "version", "generation", "position", "rebuild_id" FROM ${table} WHERE "name" = ${name}`,
  );
  const row = rows[0];
  if (!row) return { name, version: 0, generation: 0, position: 0n, rebuildId: null };
  return {
    name,
    version: Number(row.version),
    generation: Number(row.generation),
    position: BigInt(row.position),
    rebuildId: row.rebuild_id,
  };
}

export async function saveCheckpoint(transaction: WriteTransaction, checkpoint: ProjectionCheckpoint): Promise<void> {
  const { name, version, generation, position, rebuildId } = checkpoint;
  await transaction.query(
    sql`INSERT INTO ${table} ("name", "version", "generation", "position", "rebuild_id")
        VALUES (${name}, ${version}, ${generation}, ${position}, ${rebuildId})
        ON CONFLICT ("name") DO UPDATE SET "version" = excluded."version", "generation" = excluded."generation",
          "position" = excluded."position", "rebuild_id" = excluded."rebuild_id"`,
  );
}

/** Moves a live projection on. */
export async function advanceCheckpoint(transaction: WriteTransaction, name: string, position: bigint): Promise<void> {
  await transaction.query(sql`UPDATE ${table} SET "position" = ${position} WHERE "name" = ${name}`);
}

/** The position of the newest event in the log that the projection handles, 0 where there is none. */
export async function lastHandledPosition(runner: SqlRunner, { eventTypes }: Projection): Promise<bigint> {
  // One look-up in the index for each type; max() over several types would read all their events.
  const newest = eventTypes.map((type) => sql`SELECT max("position") AS "position" FROM "events" WHERE "type" = ${type}`);
  const rows = await runner.query<{ position: bigint | string | null }>(
    sql`SELECT max("position") AS "position" FROM (${join(newest, ' UNION ALL ')}) AS "newest"`,
  );
  return BigInt(rows[0]?.position ?? 0);
}
