import { Injectable } from '@nestjs/common';
import { Database, type WriteTransaction } from '#libs/database';
import { ProjectionCatalog } from './projection-catalog.js';
import { deleteCheckpoint, readCheckpoint, readCheckpoints, type ProjectionCheckpoint } from './projection-checkpoints.js';
import { dropTable } from './projection-tables.js';
import { nameWhenReplaced, nameWhileBuilt } from './table-names.js';

/** What was removed of a version that this build does not use. */
export interface PrunedProjection {
  readonly name: string;
  readonly version: number;
  readonly tables: readonly string[];
}

/** Removes what other builds have left. An instance of such a build that still runs builds its tables anew. */
@Injectable()
export class ProjectionPruning {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
  ) {}

  async prune(): Promise<PrunedProjection[]> {
    const others = (await readCheckpoints(this.database.reader)).filter((checkpoint) => !this.catalog.uses(checkpoint));
    for (const other of others) await this.database.write((transaction) => removeVersion(transaction, other));
    return others.map(({ name, version, tables }) => ({ name, version, tables }));
  }
}

async function removeVersion(transaction: WriteTransaction, other: ProjectionCheckpoint): Promise<void> {
  // Read again under the write lock: its own build may have made other tables meanwhile.
  const { tables, generation } = await readCheckpoint(transaction, other);
  const names = tables.flatMap((name) => [name, nameWhileBuilt(name, generation + 1), nameWhenReplaced(name, generation - 1)]);
  for (const name of names) await dropTable(transaction, name);
  await deleteCheckpoint(transaction, other);
}
