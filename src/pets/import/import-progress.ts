import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type EntityManager, Repository } from 'typeorm';
import type { Migration, RetentionRule } from '#libs/database';
import { ApplicationError } from '#libs/observability';
import { ImportedRow } from './import.entity.js';

const DAY_MILLISECONDS = 86_400_000;

/** How long a repeated import finds what an earlier run has added or found. */
export const importRowsRetention: RetentionRule = { entity: ImportedRow, since: 'seenAt', keepFor: 30 * DAY_MILLISECONDS };

/** Which rows an import adds: those at a moment, of the names of their import. */
interface ImportedRows {
  readonly batch: string;
  readonly rows: readonly string[];
  readonly now: Date;
}

/** What imports have added. */
@Injectable()
export class ImportProgress {
  constructor(@InjectRepository(ImportedRow) private readonly imported: Repository<ImportedRow>) {}

  /** Returns which of these rows an earlier run of the import has added. */
  async findAdded(batch: string, rows: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await this.imported.findBy({ batch, row: In(rows) })).map(({ row }) => row));
  }

  /** Returns the import that had an input of this content; undefined if none had. @param content its digest, which is no row's */
  async findImportOf(content: string): Promise<string | undefined> {
    return (await this.imported.findOneBy({ row: content }))?.batch;
  }

  /** Keeps rows that a repeated import has found for longer. */
  async keep(manager: EntityManager, { batch, rows, now }: ImportedRows): Promise<void> {
    await manager.update(ImportedRow, { batch, row: In(rows) }, { seenAt: now });
  }

  /** Records rows in the transaction that adds their animals. @throws ApplicationError `invalid_request` if another run has added one meanwhile */
  async record(manager: EntityManager, { batch, rows, now }: ImportedRows): Promise<void> {
    // Two runs that both found a row missing: the second one sees it here, under the write lock.
    if (await manager.existsBy(ImportedRow, { batch, row: In(rows) })) {
      throw new ApplicationError('invalid_request', 'Another import of the same batch is at work; let it end.');
    }
    await manager.insert(
      ImportedRow,
      rows.map((row) => ({ batch, row, seenAt: now })),
    );
  }
}

/** The migrations of what imports have added. */
export const importMigrations: readonly Migration[] = [
  /** The progress of imports by counts of their records, which earlier versions keep. */
  {
    name: 'CreateImportProgress1767225900000',
    statements: ({ columnTypes: { int64, text } }) => [
      `CREATE TABLE "import_progress" (
         "batch" ${text} NOT NULL PRIMARY KEY,
         "records_done" ${int64} NOT NULL,
         "digest" ${text} NOT NULL,
         "updated_at" ${int64} NOT NULL
       )`,
    ],
  },
  /** When such an import was completed. */
  {
    name: 'NoteFinishedImports1767226500000',
    statements: ({ columnTypes: { int64 } }) => [`ALTER TABLE "import_progress" ADD COLUMN "finished_at" ${int64} NULL`],
  },
  /** The rows that imports have added, so that a repeated one adds only those that are missing. */
  {
    name: 'CreateImportRows1767227300000',
    statements: ({ columnTypes: { int64, text } }) => [
      `CREATE TABLE "import_rows" (
         "batch" ${text} NOT NULL,
         "row" ${text} NOT NULL,
         "seen_at" ${int64} NOT NULL,
         PRIMARY KEY ("row", "batch")
       )`,
    ],
  },
];
