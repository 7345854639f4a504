import { sql, type SqlRunner, type WriteTransaction, type Dialect, ForwardMigration } from '#libs/database';
import { ApplicationError, type RetentionRule } from '#libs/observability';

const DAY_MILLISECONDS = 86_400_000;

/** Keeps the progress of an unfinished import for ever. */
export const importProgressRetention: RetentionRule = {
  table: 'import_progress',
  key: ['batch'],
  storedAt: 'finished_at',
  keepFor: 30 * DAY_MILLISECONDS,
};

export interface ImportPosition {
  /** Number of records processed, invalid ones included. */
  readonly recordsDone: bigint;
  /** SHA-256 of those records in hexadecimal digits. */
  readonly digest: string;
}

/** Reads the progress of a batch; undefined if nothing was added yet. */
export async function findImportPosition(runner: SqlRunner, batch: string): Promise<ImportPosition | undefined> {
  const [found] = await runner.query<{ records_done: bigint | string; digest: string }>(
    sql`SELECT "records_done", "digest" FROM "import_progress" WHERE "batch" = ${batch}`,
  );
  return found && { recordsDone: BigInt(found.records_done), digest: found.digest };
}

interface ImportStep {
  readonly batch: string;
  readonly from: bigint;
  readonly to: ImportPosition;
  readonly now: Date;
}

/** Saves progress in the transaction that adds the animals. @throws ApplicationError `invalid_request` if another import of the batch is ahead */
export async function recordImportStep(transaction: WriteTransaction, { batch, from, to, now }: ImportStep): Promise<void> {
  const written = await transaction.query(
    sql`INSERT INTO "import_progress" ("batch", "records_done", "digest", "updated_at")
        VALUES (${batch}, ${to.recordsDone}, ${to.digest}, ${now.getTime()})
        ON CONFLICT ("batch") DO UPDATE
        SET "records_done" = excluded."records_done", "digest" = excluded."digest", "updated_at" = excluded."updated_at",
          "finished_at" = NULL
        WHERE "import_progress"."records_done" = ${from}
        RETURNING "records_done"`,
  );
  if (written.length === 0) {
    throw new ApplicationError('invalid_request', 'Another import of the same batch is at work; let it end.');
  }
}

/** Marks an import as completed. Does nothing for a batch that added nothing. */
export async function recordImportEnd(transaction: WriteTransaction, batch: string, now: Date): Promise<void> {
  await transaction.query(sql`UPDATE "import_progress" SET "finished_at" = ${now.getTime()} WHERE "batch" = ${batch}`);
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
