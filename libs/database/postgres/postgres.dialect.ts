import { type Dialect, type RunStatement, type StorageSize, type TableRow, identifier, join, raw, sql } from '../sql.js';
import { postgresTextSearch } from './postgres-text-search.js';

export const postgresDialect: Dialect = {
  name: 'postgres',
  placeholder: (index) => `$${index}`,
  isOneOf: (placeholder) => `= ANY(${placeholder})`,
  mergesUnions: false,
  walksPrimaryKey: true,
  toListParameter: (values) => values.map(String),
  // Texts are compared byte by byte, as SQLite does, whatever the locale of the server.
  columnTypes: { int64: 'bigint', text: 'text COLLATE "C"' },
  // Once for a statement, not for each of its rows, since a group of appends is one statement. Each look is at few entries of an index, and
  // PostgreSQL has to be told so: it knows little of a log that grows fast, and would read all of it, or have several processes do it.
  orderCheck: [
    `CREATE OR REPLACE FUNCTION "refuse_disorder_of_events"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
     BEGIN
       IF (SELECT min("position") FROM "added") <> (
         SELECT min("position") FROM (
           SELECT "position" FROM "events" ORDER BY "position" DESC LIMIT (SELECT count(*) FROM "added")
         ) AS "newest"
       ) THEN
         RAISE EXCEPTION 'the event log is append-only: position must ascend';
       END IF;
       IF EXISTS (
         SELECT 1 FROM (
           SELECT "stream_id", min("stream_version") AS "first", max("stream_version") AS "last", count(*) AS "events"
           FROM "added" GROUP BY "stream_id"
         ) AS "streams"
         WHERE "last" - "first" + 1 <> "events" OR "first" <> 1 AND NOT EXISTS (
           SELECT 1 FROM "events" AS "before"
           WHERE "before"."stream_id" = "streams"."stream_id" AND "before"."stream_version" = "streams"."first" - 1
         )
       ) THEN
         RAISE EXCEPTION 'the event log is append-only: stream version must be the next one';
       END IF;
       RETURN NULL;
     END $$`,
  ],
  appendOnlyLog: [
    `CREATE FUNCTION "refuse_change_of_events"() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'the event log is append-only: % refused', TG_OP; END $$`,
    `CREATE TRIGGER "events_refuse_change" BEFORE UPDATE OR DELETE ON "events"
     FOR EACH ROW EXECUTE FUNCTION "refuse_change_of_events"()`,
    // TRUNCATE fires no row trigger.
    `CREATE TRIGGER "events_refuse_truncate" BEFORE TRUNCATE ON "events"
     FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_events"()`,
    `CREATE TRIGGER "events_refuse_disorder" AFTER INSERT ON "events" REFERENCING NEW TABLE AS "added"
     FOR EACH STATEMENT EXECUTE FUNCTION "refuse_disorder_of_events"()`,
    // In case triggers are disabled: even the owner must grant itself these rights first.
    'REVOKE UPDATE, DELETE, TRUNCATE ON "events" FROM CURRENT_USER',
  ],
  // In all schemas that are searched.
  findTable: (name) => sql`SELECT 1 AS "found" WHERE to_regclass(${`"${name}"`}) IS NOT NULL`,
  listColumns: sql`SELECT "tables"."relname" AS "table", "columns"."attname" AS "column",
      array_position("keys"."indkey"::int2[], "columns"."attnum") AS "key"
    FROM pg_class AS "tables"
    JOIN pg_attribute AS "columns" ON "columns"."attrelid" = "tables"."oid" AND "columns"."attnum" > 0 AND NOT "columns"."attisdropped"
    LEFT JOIN pg_index AS "keys" ON "keys"."indrelid" = "tables"."oid" AND "keys"."indisprimary"
    WHERE "tables"."relkind" IN ('r', 'p') AND "tables"."relnamespace" = to_regnamespace(quote_ident(current_schema()))
    ORDER BY "tables"."relname", "columns"."attnum"`,
  listSessions: sql`SELECT "application_name" AS "name" FROM pg_stat_activity WHERE "datname" = current_database()`,
  noOpWrite: sql`CREATE TEMPORARY TABLE "room" ON COMMIT DROP AS SELECT 1 AS "row"`,
  // What never changes while a session lasts is kept in it: reading it took 15 µs each time, and takes 3.
  logIdentity: sql`coalesce(nullif(current_setting('adoption.database', true), ''), set_config('adoption.database',
      (SELECT "system_identifier" || '-' || "oid" FROM pg_control_system(), pg_database WHERE "datname" = current_database()), false))
    || '-' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)`,
  // One parameter whatever the number of rows, so one prepared statement serves them all.
  insertStatements: ({ table, columns, rows, suffix = raw('') }) => {
    if (rows.length === 0) return [];
    const columnList = join(columns.map(identifier));
    const records = toJsonRecords(columns, rows);
    return [
      sql`INSERT INTO ${table} (${columnList}) SELECT ${columnList} FROM json_populate_recordset(NULL::${table}, ${records}) ${suffix}`,
    ];
  },
  storageSize: readStorageSize,
  textSearch: postgresTextSearch,
};

/** Renders rows as a JSON array of objects. Building objects first took twice as long. */
function toJsonRecords(columns: readonly string[], rows: readonly TableRow[]): string {
  const heads = columns.map((column, index) => `${index === 0 ? '{' : ','}${JSON.stringify(column)}:`);
  let records = '';
  for (const values of rows) {
    if (records !== '') records += ',';
    heads.forEach((head, index) => (records += head + toJson(values[index])));
    records += '}';
  }
  return `[${records}]`;
}

/** An int64 is sent as text, which the column parses. */
function toJson(value: TableRow[number] | undefined): string {
  if (typeof value === 'bigint') return `"${value}"`;
  return typeof value === 'number' ? value.toString() : JSON.stringify(value ?? null);
}

/** Reads the catalog only. Rows are the planner's estimate, absent for a table that was never analysed. */
async function readStorageSize(run: RunStatement): Promise<StorageSize> {
  const [database] = await run<{ bytes: string }>(sql`SELECT pg_database_size(current_database()) AS "bytes"`);
  const tables = await run<{ table: string; rows: number; bytes: string }>(
    sql`SELECT "relname"::text AS "table", "reltuples"::float8 AS "rows", pg_total_relation_size("oid") AS "bytes"
        FROM "pg_class" WHERE "relkind" = 'r' AND "relnamespace" = quote_ident(current_schema())::regnamespace ORDER BY "relname"`,
  );
  return {
    bytes: Number(database?.bytes ?? 0),
    writeAheadLogBytes: undefined,
    tables: tables.map(({ table, rows, bytes }) => ({ table, rows: rows < 0 ? undefined : rows, bytes: Number(bytes) })),
  };
}
