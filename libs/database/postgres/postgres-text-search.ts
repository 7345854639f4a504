import { identifier, raw, sql, type TextIndex, type TextSearch } from '../sql.js';

// A part without three such characters in a row has no trigram. Other letters have one only in some locales of the server.
const HAS_TRIGRAM = /[a-z0-9]{3}/;

/** An index is a GIN index of pg_trgm, if the server has that extension. */
export const postgresTextSearch: TextSearch = {
  isTable: false,
  isOrdered: false,
  preparation: [
    `DO $$ BEGIN CREATE EXTENSION IF NOT EXISTS pg_trgm;
       EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN NULL; END $$`,
  ],
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  createIndex: (index) => [raw(createIndexWithExtension(index))],
  // By its table, since it keeps the name that it was created with.
  findIndex: ({ table }) => sql`SELECT 1 AS "found" FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
    WHERE indrelid = to_regclass(${`"${table}"`}) AND amname = 'gin'`,
  matches: ({ column }, part) => (HAS_TRIGRAM.test(part) ? () => sql`${identifier(column)} LIKE ${`%${escapePattern(part)}%`}` : undefined),
};

/** The class of operators is named with its schema, since the extension may be in one that is not searched, or not open to this role. */
function createIndexWithExtension({ name, table, column }: TextIndex): string {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const create = `CREATE INDEX ${quote(name)} ON ${quote(table)} USING gin (${quote(column)} %I.gin_trgm_ops)`;
  return `DO $$ DECLARE extension_schema name; BEGIN
    SELECT nspname INTO extension_schema FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm';
    IF FOUND THEN EXECUTE format('${create}', extension_schema); END IF;
    EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`;
}

function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, String.raw`\$&`);
}
