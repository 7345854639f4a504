import type { SqlRunner } from '#libs/database';
import { CHECKPOINTS_TABLE, readCheckpoints } from './projection-checkpoints.js';
import { isMadeFor } from './table-names.js';

/**
 * Tells the tables that hold nothing but what the log says: those of all versions of all projections, also half built and replaced
 * ones, and the checkpoints of these.
 */
export async function derivedTables(runner: SqlRunner): Promise<(name: string) => boolean> {
  const live = (await readCheckpoints(runner)).flatMap(({ tables }) => tables);
  return (name) => name === CHECKPOINTS_TABLE || live.some((table) => isMadeFor(table, name));
}
