import type { QueryRunner } from 'typeorm';
import { serverUrls } from '../database-url.js';

/**
 * Gives the role that serves what it needs of tables that another role owns, in the schema that this one's new tables go to: all of it
 * but changing or removing events. It makes the tables of its projections itself.
 */
export async function grantRights(runner: QueryRunner, url: string): Promise<void> {
  const user = decodeURIComponent(new URL(serverUrls(url)[0] ?? '').username);
  if (user === '') return;
  const role = `"${user.replaceAll('"', '""')}"`;
  // Not all tables of the schema: those of the projections belong to the serving role already.
  const owned = (await runner.query(
    `SELECT format('%I', "schemaname") AS "schema", format('%I.%I', "schemaname", "tablename") AS "table"
     FROM pg_tables WHERE "schemaname" = current_schema() AND "tableowner" = current_user`,
  )) as { schema: string; table: string }[];
  const statements = [
    ...new Set(owned.map(({ schema }) => `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`)),
    ...owned.map(({ table }) => `GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${role}`),
    `REVOKE UPDATE, DELETE, TRUNCATE ON "events" FROM ${role}`,
    `REVOKE INSERT, UPDATE, DELETE ON "migrations" FROM ${role}`,
  ];
  for (const statement of statements) await runner.query(statement);
}
