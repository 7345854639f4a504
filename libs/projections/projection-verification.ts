import { Injectable } from '@nestjs/common';
import { Database, identifier, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import { EventRegistry, EventStore } from '#libs/event-store';
import type { Projection, ProjectionTable } from './projection.js';
import { ProjectionCatalog } from './projection-catalog.js';
import { createProjectionTable } from './projection-tables.js';
import { targetOf } from './projection-target.js';
import { applyHandled, logPages, type ReplayProgress } from './replay.js';

const EVENTS_IN_ONE_PAGE = 2_000;

/** Checks that the live tables are what the log says. */
@Injectable()
export class ProjectionVerification {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly store: EventStore,
  ) {}

  /**
   * Replays the whole log into temporary tables and compares them with the live ones, both in one snapshot.
   * @returns one sentence for each table that differs; none when all are equal.
   */
  async verify(onProgress: ReplayProgress = () => undefined): Promise<string[]> {
    const total = await this.store.lastPosition();
    return this.database.snapshot(async (runner) => {
      await this.replayAll(runner, (done) => {
        onProgress(done, total);
      });
      const problems: string[] = [];
      for (const projection of this.catalog.all()) {
        for (const table of projection.tables) problems.push(...(await compare(runner, projection, table)));
      }
      return problems;
    });
  }

  private async replayAll(runner: SqlRunner, onProgress: (done: bigint) => void): Promise<void> {
    const projections = this.catalog.all();
    for (const { tables } of projections) {
      for (const table of tables) await createProjectionTable(runner, table, replayName(table.name), { temporary: true });
    }
    for await (const events of logPages(runner, this.registry, { after: 0n, limit: EVENTS_IN_ONE_PAGE })) {
      for (const projection of projections) await applyHandled(projection, events, targetOf(projection, runner, replayName));
      onProgress(events.at(-1)?.position ?? 0n);
    }
  }
}

function replayName(table: string): string {
  return `replayed_${table}`;
}

async function compare(runner: SqlRunner, { name }: Projection, table: ProjectionTable): Promise<string[]> {
  const live = sql`SELECT * FROM ${identifier(table.name)}`;
  const replayed = sql`SELECT * FROM ${identifier(replayName(table.name))}`;
  const wrong = await countRows(runner, sql`${live} EXCEPT ${replayed}`);
  const missing = await countRows(runner, sql`${replayed} EXCEPT ${live}`);
  if (wrong === 0n && missing === 0n) return [];
  return [`projection ${name}: table ${table.name} has ${wrong} rows that a replay has not, and lacks ${missing} rows that a replay has`];
}

async function countRows(runner: SqlRunner, rows: SqlFragment): Promise<bigint> {
  const [counted] = await runner.query<{ count: bigint | string }>(sql`SELECT count(*) AS "count" FROM (${rows}) AS "compared"`);
  return BigInt(counted?.count ?? 0);
}
