import { DataSource } from 'typeorm';
import type { SqlRunner } from './database.js';
import type { DatabaseLocation } from './database-url.js';
import { engineOf } from './engine-of.js';

/** Looks into a database as it is, also one that was never migrated, on connections that cannot write. */
export async function readDatabase<Result>(location: DatabaseLocation, work: (runner: SqlRunner) => Promise<Result>): Promise<Result> {
  const engine = engineOf(location);
  const source = await new DataSource(engine.readConnection('cli')).initialize();
  try {
    return await work(engine.open(source, source, 'cli').reader);
  } finally {
    await source.destroy();
  }
}
