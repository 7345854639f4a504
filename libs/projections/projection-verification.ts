import { Injectable } from '@nestjs/common';
import { Database, identifier, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import { EventRegistry, EventStore } from '#libs/event-store';
import { type Projection, type ProjectionTable, ProjectionCatalog } from './projection.js';
import { readCheckpoint } from './projection-checkpoints.js';
import { createProjectionTable, targetOf, nameWhenReplayed, tableNameOf } from './projection-tables.js';
import { ReadModels } from './read-models.js';
import { applyHandled, logPages, type ReplayProgress } from './live-projections.js';

const EVENTS_IN_ONE_PAGE = 2_000;

/** Checks that the live tables are what the log says. */
@Injectable()
export class ProjectionVerification {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly store: EventStore,
    private readonly readModels: ReadModels,
  ) {}

  /**
   * Brings the live tables up to date, replays the log into temporary ones as far as the live ones have come, and compares them, both
   * in one snapshot.
   * @returns one sentence for each table that differs; none when all are equal.
   */
  async verify(onProgress: ReplayProgress = () => undefined): Promise<string[]> {
    await Promise.all(this.catalog.all().map((projection) => this.readModels.current(projection)));
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
    const replays = await Promise.all(this.catalog.all().map((projection) => beginReplay(runner, projection)));
    for await (const events of logPages(runner, this.registry, { after: 0n, limit: EVENTS_IN_ONE_PAGE })) {
      for (const { projection, end } of replays) {
        // Another build may have appended since: the live tables get that when they are read next.
        const seen = events.filter(({ position }) => position <= end);
        await applyHandled(projection, seen, targetOf(projection, runner, nameWhenReplayed));
      }
      onProgress(events.at(-1)?.position ?? 0n);
    }
  }
}

interface Replay {
  readonly projection: Projection;
  /** The position that the live tables have reached. */
  readonly end: bigint;
}

async function beginReplay(runner: SqlRunner, projection: Projection): Promise<Replay> {
  for (const table of projection.tables) {
    await createProjectionTable(runner, table, nameWhenReplayed(tableNameOf(projection, table.name)), { temporary: true });
  }
  return { projection, end: (await readCheckpoint(runner, projection)).position };
}

async function compare(runner: SqlRunner, projection: Projection, { name: table }: ProjectionTable): Promise<string[]> {
  const name = tableNameOf(projection, table);
  const live = sql`SELECT * FROM ${identifier(name)}`;
  const replayed = sql`SELECT * FROM ${identifier(nameWhenReplayed(name))}`;
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
