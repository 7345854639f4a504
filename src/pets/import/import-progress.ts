import type { QueryRunner } from 'typeorm';
import { sql, type SqlRunner, type WriteTransaction, getDialect, ForwardMigration } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import type { RetentionRule } from '#libs/operations';

const DAY_MILLISECONDS = 86_400_000;

/** An import that was broken off has no end, and can be continued for ever. */
export const importProgressRetention: RetentionRule = {
  table: 'import_progress',
  key: ['batch'],
  storedAt: 'finished_at',
  keepFor: 30 * DAY_MILLISECONDS,
};

/** How far the import of a batch has come. */
export interface ImportPosition {
  /** How many records of the batch have been dealt with, refused ones included. */
  readonly recordsDone: bigint;
  /** SHA-256 of those records in hexadecimal digits. */
  readonly digest: string;
}

/** How far the batch has come; undefined when nothing of it was added yet. */
export async function findImportPosition(runner: SqlRunner, batch: string): Promise<ImportPosition | undefined> {
  const [found] = await runner.query<{ records_done: bigint | string; digest: string }>(
    sql`SELECT "records_done", "digest" FROM "import_progress" WHERE "batch" = ${batch}`,
  );
  return found && { recordsDone: BigInt(found.records_done), digest: found.digest };
}

/** One step of a batch: from the number of records where this import believes it is to the next position. */
interface ImportStep {
  readonly batch: string;
  readonly from: bigint;
  readonly to: ImportPosition;
  readonly now: Date;
}

/**
 * Records a step in the transaction that adds its animals.
 * @throws ApplicationError `invalid_request` when another import of the same batch has come further: the transaction must not commit.
 */
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

/** Notes that an import came to its end, from where on its progress is kept for a while. Does nothing for a batch that added nothing. */
export async function recordImportEnd(transaction: WriteTransaction, batch: string, now: Date): Promise<void> {
  await transaction.query(sql`UPDATE "import_progress" SET "finished_at" = ${now.getTime()} WHERE "batch" = ${batch}`);
}

/** How far each import has come, so that an interrupted one can be continued. */
export class CreateImportProgress1767225900000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64, text } = getDialect(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "import_progress" (
         "batch" ${text} NOT NULL PRIMARY KEY,
         "records_done" ${int64} NOT NULL,
         "digest" ${text} NOT NULL,
         "updated_at" ${int64} NOT NULL
       )`,
    );
  }
}

/** When an import came to its end, so that what is finished can be forgotten one day and what is not can be continued. */
export class NoteFinishedImports1767226500000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64 } = getDialect(queryRunner).columnTypes;
    await queryRunner.query(`ALTER TABLE "import_progress" ADD COLUMN "finished_at" ${int64} NULL`);
  }
}
