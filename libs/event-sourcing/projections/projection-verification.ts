import { Injectable } from '@nestjs/common';
import { Database, identifier, sql, type SqlFragment, type SqlRunner, type WriteTransaction } from '#libs/database';
import { EventRegistry } from '../event-store/event.js';
import { EventReader } from '../event-store/read-events.js';
import { lastStoredPosition } from '../event-store/stored-log.js';
import { ReadModels } from './live-projections.js';
import { readCheckpoint } from './projection-checkpoints.js';
import type { ReplayProgress } from './projection-rebuilder.js';
import {
  createProjectionTable,
  createTarget,
  ProjectionCatalog,
  projectionTableName,
  replayTableName,
  type Projection,
  type ProjectionTable,
} from './projection.js';

const EVENTS_IN_ONE_PAGE = 2_000;

/** Compares the live tables with a replay of the log. */
@Injectable()
export class ProjectionVerification {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly readModels: ReadModels,
  ) {}

  /**
   * Brings the live tables up to date, replays the log into temporary tables up to their checkpoints, and compares them, all in one
   * snapshot.
   * @returns one sentence for each table that differs; none if all are equal.
   */
  async verify(onProgress: ReplayProgress = () => undefined): Promise<string[]> {
    const projections = this.catalog.all();
    await Promise.all(projections.map((projection) => this.readModels.current(projection)));
    const total = await lastStoredPosition(this.database.reader);
    return this.database.snapshot(async (runner) => {
      await this.replayAll(runner, (done) => onProgress(done, total));
      const problems: string[] = [];
      for (const projection of projections) {
        for (const table of projection.tables) problems.push(...(await compare(runner, projection, table)));
      }
      return problems;
    });
  }

  private async replayAll(runner: WriteTransaction, onProgress: (done: bigint) => void): Promise<void> {
    const replays = await Promise.all(this.catalog.all().map((projection) => beginReplay(runner, projection)));
    const reader = new EventReader(runner, this.registry);
    for (let after = 0n; ;) {
      const events = await reader.readAll({ after, limit: EVENTS_IN_ONE_PAGE });
      const last = events.at(-1);
      if (!last) return;
      for (const { projection, end } of replays) {
        // Events that another build has appended since reach the live tables when these are read next.
        const handled = events.filter(({ type, position }) => position <= end && projection.eventTypes.includes(type));
        if (handled.length > 0) await projection.project(handled, createTarget(projection, runner, replayTableName));
      }
      after = last.position;
      onProgress(after);
    }
  }
}

/** Returns the position that the live tables have reached with their projection. */
async function beginReplay(runner: WriteTransaction, projection: Projection): Promise<{ projection: Projection; end: bigint }> {
  for (const table of projection.tables) {
    await createProjectionTable(runner, table, (name) => replayTableName(projectionTableName(projection, name)), { temporary: true });
  }
  return { projection, end: (await readCheckpoint(runner, projection)).position };
}

async function compare(runner: SqlRunner, projection: Projection, { name: table }: ProjectionTable): Promise<string[]> {
  const name = projectionTableName(projection, table);
  const live = sql`SELECT * FROM ${identifier(name)}`;
  const replayed = sql`SELECT * FROM ${identifier(replayTableName(name))}`;
  const wrong = await countRows(runner, sql`${live} EXCEPT ${replayed}`);
  const missing = await countRows(runner, sql`${replayed} EXCEPT ${live}`);
  if (wrong === 0n && missing === 0n) return [];
  return [
    `projection ${projection.name}: table ${table} has ${wrong} rows that a replay has not, and lacks ${missing} rows that a replay has`,
  ];
}

async function countRows(runner: SqlRunner, rows: SqlFragment): Promise<bigint> {
  const [counted] = await runner.query<{ count: bigint | string }>(sql`SELECT count(*) AS "count" FROM (${rows}) AS "compared"`);
  return BigInt(counted?.count ?? 0);
}
