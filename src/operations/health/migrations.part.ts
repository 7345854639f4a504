import { type Database, type Migration, sql } from '#libs/database';
import type { HealthPart } from '#libs/health';

/** Whether the database has every table this build needs. */
export function migrationsPart(database: Database, migrations: readonly Migration[]): HealthPart {
  return {
    name: 'migrations',
    async check() {
      const rows = await database.reader.query<{ name: string }>(sql`SELECT "name" FROM "migrations"`);
      const applied = new Set(rows.map(({ name }) => name));
      const pending = migrations.filter(({ name }) => !applied.has(name)).length;
      return pending === 0 ? { state: 'ready' } : { state: 'unavailable', detail: `${pending} migrations have not run` };
    },
  };
}
