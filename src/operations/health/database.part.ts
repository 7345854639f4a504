import { type Database, sql } from '#libs/database';
import type { HealthPart } from '#libs/health';

/** Whether the database answers. */
export function databasePart(database: Database): HealthPart {
  return {
    name: 'database',
    async check() {
      await database.reader.query(sql`SELECT 1`);
      return { state: 'ready' };
    },
  };
}
