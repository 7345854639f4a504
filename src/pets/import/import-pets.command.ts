import { createHash } from 'node:crypto';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, ApplicationError, systemTimers } from '#libs/observability';
import { Database, type ManagedTransaction } from '#libs/database';
import { EventStore, type EventMetadata, type StreamAppend } from '#libs/event-sourcing';
import { stringifyJson } from '#libs/http';
import { AddPet, preparePetAppend } from '../commands/add-pet.command.js';
import { ImportProgress } from './import-progress.js';
import { csvRecords, ndjsonRecords, type ImportRecord } from './import-records.js';

export type ImportFormat = 'ndjson' | 'csv';

interface PetsImport {
  readonly source: AsyncIterable<Uint8Array>;
  readonly format: ImportFormat;
  /** Names the import, so that a repeated one adds only records that are missing, for 30 days. Without it every record is new. */
  readonly batch?: string | undefined;
  /** Returns a digest of the input, by which it is known under another name too. */
  readonly digest?: () => Promise<string>;
  /** Reads and validates everything and writes nothing. */
  readonly dryRun?: boolean;
  /** Called for each invalid record, with its first physical line, from 1. */
  readonly onRefused: (line: number, reason: string) => void;
}

/** Adds the animals of NDJSON or CSV by the rules of AddPet. Invalid records are reported and skipped; equal records are different animals. */
export class ImportPets extends Command<ImportSummary> {
  constructor(
    readonly input: PetsImport,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export interface ImportSummary {
  readonly added: number;
  /** Records that an earlier run of the batch added. */
  readonly skipped: number;
  readonly rejected: number;
  readonly seconds: number;
  /** Only in a dry run. */
  readonly dryRun?: true;
}

@CommandHandler(ImportPets)
export class ImportPetsHandler implements ICommandHandler<ImportPets> {
  constructor(
    private readonly database: Database,
    private readonly eventStore: EventStore,
    private readonly clock: Clock,
    private readonly progress: ImportProgress,
  ) {}

  /** @throws ApplicationError if the import ends early; its message says how many animals were added. */
  async execute({ input, metadata }: ImportPets): Promise<ImportSummary> {
    const run = new ImportRun({ ...input, batch: await this.recogniseBatch(input), metadata });
    const { source, format, dryRun } = input;
    const startedAt = performance.now();
    try {
      for await (const record of format === 'csv' ? csvRecords(source) : ndjsonRecords(source)) {
        run.take(record);
        if (run.pending.length >= run.pace.size) await this.commit(run);
      }
      await this.commit(run);
    } catch (error) {
      throw run.withWhatWasAdded(error);
    }
    const seconds = Math.round(performance.now() - startedAt) / 1_000;
    return { added: run.added, skipped: run.skipped, rejected: run.rejected, seconds, ...(dryRun && { dryRun }) };
  }

  /** Returns the name under which the content of the input is known, which it is from now on; without a digest the given name. */
  private async recogniseBatch({ batch, digest, dryRun }: PetsImport): Promise<string | undefined> {
    if (batch === undefined || !digest) return batch;
    const content = await digest();
    const known = await this.progress.findImportOf(content);
    const rows = { batch: known ?? batch, rows: [content], now: this.clock.now() };
    if (!dryRun) await this.database.write((manager) => this.progress[known === undefined ? 'record' : 'keep'](manager, rows));
    return rows.batch;
  }

  /** Adds the pending animals that are missing, and records their rows, in one transaction. */
  private async commit(run: ImportRun): Promise<void> {
    const { pending } = run;
    if (pending.length === 0) return;
    run.pending = [];
    const { batch, dryRun } = run.options;
    const recorded =
      batch === undefined
        ? new Set()
        : await this.progress.findAdded(
            batch,
            pending.map(({ row }) => row),
          );
    const found = pending.filter(({ row }) => recorded.has(row));
    const missing = pending.filter(({ row }) => !recorded.has(row));
    if (!dryRun) await run.pace.write(pending.length, () => this.write(missing, found, run.options));
    run.added += missing.length;
    run.skipped += found.length;
  }

  private async write(missing: readonly PendingRow[], found: readonly PendingRow[], { metadata, batch }: ImportOptions): Promise<void> {
    const record = async ({ manager }: ManagedTransaction) => {
      if (batch === undefined) return;
      const now = this.clock.now();
      await this.progress.record(manager, { batch, rows: missing.map(({ row }) => row), now });
      await this.progress.keep(manager, { batch, rows: found.map(({ row }) => row), now });
    };
    const appends = missing.map(({ append }) => append);
    if (appends.length > 0) await this.eventStore.append(appends, { metadata, withinTransaction: record });
    else await this.database.transaction(record);
  }
}

interface ImportOptions extends PetsImport {
  readonly metadata: EventMetadata;
}

/** An animal to add. */
interface PendingRow {
  readonly append: StreamAppend;
  /** Tells the row from all others of the input, wherever it stands in it. */
  readonly row: string;
}

/** How far an import has come. */
class ImportRun {
  readonly pace = new TransactionPace();
  pending: PendingRow[] = [];
  added = 0;
  skipped = 0;
  rejected = 0;
  private readonly rows = new RowIdentities();

  constructor(readonly options: ImportOptions) {}

  take({ line, read }: ImportRecord): void {
    try {
      const command = new AddPet(read(), this.options.metadata);
      this.pending.push({ append: preparePetAppend(command), row: this.rows.next(command) });
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      this.rejected += 1;
      this.options.onRefused(line, error.message);
    }
  }

  withWhatWasAdded(error: unknown): unknown {
    if (!(error instanceof ApplicationError) || this.added === 0 || this.options.dryRun) return error;
    const next = this.options.batch ? 'the same command adds the rest' : 'they stay';
    return new ApplicationError(error, `${error.message} ${this.added} animals were added before this; ${next}.`, { cause: error });
  }
}

/** Names the rows of an input by their content, and equal ones by their order too, since equal records are different animals. */
class RowIdentities {
  private readonly counts = new Map<string, number>();

  next({ values: { name, categoryId, status, ...others } }: AddPet): string {
    const further = Object.entries(others).filter(([, value]) => value !== undefined);
    const content = stringifyJson([name, categoryId.toString(), status ?? null, ...further]);
    const digest = createHash('sha256').update(content).digest('base64url');
    const count = (this.counts.get(digest) ?? 0) + 1;
    this.counts.set(digest, count);
    return count === 1 ? digest : `${digest} ${count}`;
  }
}

const FIRST_SIZE = 8;
const LARGEST_SIZE = 1_000;
// Half the limit, so that a slow disk or a busy machine does not exceed it.
const AIM_MILLISECONDS = 25;
const LARGEST_GROWTH = 2;
const SHORTEST_PAUSE_MILLISECONDS = 5;

/** Keeps transactions under 50 ms: sizes the next one by the duration of the last one, with pauses for other writers. */
class TransactionPace {
  /** Number of animals for the next transaction. */
  size = FIRST_SIZE;
  private pausedUntil = 0;

  /** Runs a transaction with so many animals after the pause, towards which reading their records counts. */
  async write(animals: number, transaction: () => Promise<void>): Promise<void> {
    const left = this.pausedUntil - performance.now();
    if (left > 0) await systemTimers.sleep(left);
    const startedAt = performance.now();
    await transaction();
    const endedAt = performance.now();
    const milliseconds = endedAt - startedAt;
    const fitting = Math.floor((animals * AIM_MILLISECONDS) / Math.max(milliseconds, 0.01));
    this.size = Math.max(1, Math.min(fitting, this.size * LARGEST_GROWTH, LARGEST_SIZE));
    this.pausedUntil = endedAt + Math.max(SHORTEST_PAUSE_MILLISECONDS, milliseconds / 2);
  }
}
