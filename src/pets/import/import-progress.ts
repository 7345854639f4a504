import { ForwardMigration, insertRows, isOneOf, raw, sql, type Dialect, type SqlRunner, type WriteTransaction } from '#libs/database';
import { ApplicationError, type RetentionRule } from '#libs/observability';

const DAY_MILLISECONDS = 86_400_000;

/** How long a repeated import finds what an earlier run has added or found. */
export const importRowsRetention: RetentionRule = {
  table: 'import_rows',
  key: ['row', 'batch'],
  storedAt: 'seen_at',
  keepFor: 30 * DAY_MILLISECONDS,
};

/** Keeps the progress of an unfinished import of an earlier version for ever. */
export const importProgressRetention: RetentionRule = {
  table: 'import_progress',
  key: ['batch'],
  storedAt: 'finished_at',
  keepFor: 30 * DAY_MILLISECONDS,
};

/**
 * Returns how many records of an input, invalid ones included, an earlier version has processed, which counted them by the name of the
 * input instead of recording its rows; 0 for an input that it did not know.
 */
export async function countEarlierRecords(runner: SqlRunner, batch: string): Promise<bigint> {
  const [found] = await runner.query<{ records_done: bigint | string }>(
    sql`SELECT "records_done" FROM "import_progress" WHERE "batch" = ${batch}`,
  );
  return BigInt(found?.records_done ?? 0);
}

/** Returns which of these rows an earlier run of the import has added. */
export async function findImportedRows(runner: SqlRunner, batch: string, rows: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await runner.query<{ row: string }>(
    sql`SELECT "row" FROM "import_rows" WHERE "batch" = ${batch} AND "row" ${isOneOf(rows)}`,
  );
  return new Set(found.map(({ row: added }) => added));
}

/** Returns the import that had an input of this content; undefined if none had. @param content its digest, which is no row's */
export async function findImportOf(runner: SqlRunner, content: string): Promise<string | undefined> {
  const [found] = await runner.query<{ batch: string }>(sql`SELECT "batch" FROM "import_rows" WHERE "row" = ${content} LIMIT 1`);
  return found?.batch;
}

/** Keeps rows that a repeated import has found for longer. */
export async function keepImportedRows(
  transaction: WriteTransaction,
  { batch, rows, now }: { readonly batch: string; readonly rows: readonly string[]; readonly now: Date },
): Promise<void> {
  await transaction.query(sql`UPDATE "import_rows" SET "seen_at" = ${now.getTime()} WHERE "batch" = ${batch} AND "row" ${isOneOf(rows)}`);
}

/** Records rows in the transaction that adds their animals. @throws ApplicationError `invalid_request` if another run has added one meanwhile */
export async function recordImportedRows(
  transaction: WriteTransaction,
  { batch, rows, now }: { readonly batch: string; readonly rows: readonly string[]; readonly now: Date },
): Promise<void> {
  // Two runs that both found a row missing: the second one sees it here, under the write lock.
  if ((await findImportedRows(transaction, batch, rows)).size > 0) {
    throw new ApplicationError('invalid_request', 'Another import of the same batch is at work; let it end.');
  }
  insertRows(transaction, {
    table: raw('"import_rows"'),
    columns: ['batch', 'row', 'seen_at'],
    rows: rows.map((row) => [batch, row, now.getTime()]),
  });
}

/** The progress of imports, so that an interrupted one can resume. */
export class CreateImportProgress1767225900000 extends ForwardMigration {
  protected statements({ columnTypes: { int64, text } }: Dialect): string[] {
    return [
      `CREATE TABLE "import_progress" (
         "batch" ${text} NOT NULL PRIMARY KEY,
         "records_done" ${int64} NOT NULL,
         "digest" ${text} NOT NULL,
         "updated_at" ${int64} NOT NULL
       )`,
    ];
  }
}

/** When an import was completed, so that its progress can expire. */
export class NoteFinishedImports1767226500000 extends ForwardMigration {
  protected statements({ columnTypes: { int64 } }: Dialect): string[] {
    return [`ALTER TABLE "import_progress" ADD COLUMN "finished_at" ${int64} NULL`];
  }
}

/** The rows that imports have added, so that a repeated one adds only those that are missing. */
export class CreateImportRows1767227300000 extends ForwardMigration {
  protected statements({ columnTypes: { int64, text } }: Dialect): string[] {
    return [
      `CREATE TABLE "import_rows" (
         "batch" ${text} NOT NULL,
         "row" ${text} NOT NULL,
         "seen_at" ${int64} NOT NULL,
         PRIMARY KEY ("row", "batch")
       )`,
    ];
  }
}
