import { Injectable } from '@nestjs/common';
import { Database, type EntityTable, identifier, sql, type SqlRunner, type WriteTransaction } from '#libs/database';
import { EventRegistry } from '../event-store/event.js';
import { countRows } from '../event-store/bounded-rows.js';
import { newestPosition, readPosition } from '../event-store/sequences.js';
import { ReadModels } from './read-models.js';
import { readCheckpoint } from './projection-checkpoints.js';
import { applyNext, type ReplayProgress, type ReplayStep } from './projection-rebuilder.js';
import {
  createProjectionTable,
  createTarget,
  ProjectionCatalog,
  projectionTableName,
  replayTableName,
  type Projection,
} from './projection.js';

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
    const total = await readPosition(this.database.reader, newestPosition);
    return this.database.snapshot(async (runner) => {
      const problems: string[] = [];
      for (const [index, projection] of projections.entries()) {
        const done = total * BigInt(index);
        await this.replay(runner, projection, (position) => onProgress((done + position) / BigInt(projections.length), total));
        for (const table of projection.tables) problems.push(...(await compare(runner, projection, table)));
      }
      return problems;
    });
  }

  /** Events that another build has appended since the live tables were brought up to date reach them when these are read next. */
  private async replay(runner: WriteTransaction, projection: Projection, onProgress: (position: bigint) => void): Promise<void> {
    for (const table of projection.tables) {
      await createProjectionTable(runner, table, (name) => replayTableName(projectionTableName(projection, name)), { temporary: true });
    }
    const target = createTarget(projection, runner, replayTableName);
    const { position: until } = await readCheckpoint(runner, projection);
    for (let step: ReplayStep = { position: 0n, isComplete: false }; !step.isComplete;) {
      step = await applyNext(target, this.registry, projection, { after: step.position, until });
      onProgress(step.position);
    }
  }
}

async function compare(runner: SqlRunner, projection: Projection, { name: table }: EntityTable<object>): Promise<string[]> {
  const name = projectionTableName(projection, table);
  const live = sql`SELECT * FROM ${identifier(name)}`;
  const replayed = sql`SELECT * FROM ${identifier(replayTableName(name))}`;
  const wrong = await countRows(runner, sql`${live} EXCEPT ${replayed}`);
  const missing = await countRows(runner, sql`${replayed} EXCEPT ${live}`);
  if (wrong === 0 && missing === 0) return [];
  return [
    `projection ${projection.name}: table ${table} has ${wrong} rows that a replay has not, and lacks ${missing} rows that a replay has`,
  ];
}
