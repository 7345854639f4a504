import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { parseJson } from '#libs/api-kit';
import { Clock } from '#libs/clock';
import { Database } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import { EventStore, type EventMetadata, type StreamAppend } from '#libs/event-store';
import { AddPet, preparePetAppend } from '../commands/add-pet.command.js';
import { readNewPet } from '../rest/pet.request.js';
import { findImportPosition, recordImportEnd, recordImportStep, type ImportPosition } from './import-progress.js';
import { csvRecords, ndjsonRecords, type ImportRecord } from './import-records.js';

export const importFormats = ['ndjson', 'csv'] as const;

export type ImportFormat = (typeof importFormats)[number];

interface PetsImport {
  readonly source: AsyncIterable<Uint8Array>;
  readonly format: ImportFormat;
  /**
   * Names the input, so that the same one given again adds only what is missing: for ever while it has not come to its end, for
   * 30 days after that. Without it every record is new.
   */
  readonly batch?: string;
  /** Whether all is to be read and judged as else, and nothing written. */
  readonly dryRun?: boolean;
  /** Is told of each record that is not added: its first physical line, counted from 1, and why. */
  readonly onRefused: (line: number, reason: string) => void;
}

/**
 * Adds the animals of NDJSON or CSV by the rules of AddPet. A record that breaks them is refused and the others go on;
 * two equal records are two animals. What is added stays added when the import ends early.
 */
export class ImportPets extends Command<ImportSummary> {
  constructor(
    readonly input: PetsImport,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(ImportPets)
export class ImportPetsHandler implements ICommandHandler<ImportPets> {
  constructor(
    private readonly database: Database,
    private readonly eventStore: EventStore,
    private readonly clock: Clock,
  ) {}

  async execute({ input: { source, format, batch, dryRun = false, onRefused }, metadata }: ImportPets): Promise<ImportSummary> {
    // What NDJSON refuses may be right as CSV, so each format has a progress of its own.
    const batchName = batch && `${format}:${batch}`;
    const earlier = batchName ? await findImportPosition(this.database.reader, batchName) : undefined;
    const run = new ImportRun(this.eventStore, this.clock, {
      metadata,
      onRefused,
      earlier,
      dryRun,
      ...(batchName && { batch: batchName }),
    });
    const summary = await run.execute(format === 'csv' ? csvRecords(source) : ndjsonRecords(source));
    if (batchName && !dryRun) await this.database.write((transaction) => recordImportEnd(transaction, batchName, this.clock.now()));
    return summary;
  }
}

export interface ImportSummary {
  readonly added: number;
  /** Records that an earlier run of the same batch has added. */
  readonly skipped: number;
  readonly rejected: number;
  readonly seconds: number;
  /** There in a dry run alone, which tells what would be added. */
  readonly dryRun?: true;
}

interface ImportRunOptions {
  readonly metadata: EventMetadata;
  readonly onRefused: (line: number, reason: string) => void;
  /** The name under which progress is kept; without it none is. */
  readonly batch?: string;
  /** Where an earlier run of the batch has ended. */
  readonly earlier: ImportPosition | undefined;
  /** Whether all is to be read and judged, and nothing written. */
  readonly dryRun: boolean;
}

/** One run of an import, from the first record to the last. */
class ImportRun {
  private readonly startedAt = performance.now();
  private readonly pace = new TransactionPace();
  private readonly digest = createHash('sha256');
  private readonly earlierRecords: bigint;
  private recordsRead = 0n;
  private recordsCommitted: bigint;
  private pending: StreamAppend[] = [];
  private pausedUntil = 0;
  private added = 0;
  private skipped = 0;
  private rejected = 0;

  constructor(
    private readonly eventStore: EventStore,
    private readonly clock: Clock,
    private readonly options: ImportRunOptions,
  ) {
    this.earlierRecords = options.earlier?.recordsDone ?? 0n;
    this.recordsCommitted = this.earlierRecords;
  }

  /** @throws ApplicationError when the import has to end before its last record; its message tells what was added until then. */
  async execute(records: AsyncIterable<ImportRecord>): Promise<ImportSummary> {
    try {
      for await (const record of records) {
        this.take(record);
        if (this.pending.length >= this.pace.size) await this.commit();
      }
      if (this.recordsRead < this.earlierRecords) throw otherInputError();
      await this.commit();
    } catch (error) {
      throw this.withWhatWasAdded(error);
    }
    const seconds = Math.round(performance.now() - this.startedAt) / 1_000;
    const summary = { added: this.added, skipped: this.skipped, rejected: this.rejected, seconds };
    return this.options.dryRun ? { ...summary, dryRun: true } : summary;
  }

  private take(record: ImportRecord): void {
    this.recordsRead += 1n;
    this.digest.update(`${record.json ?? ''}\n`);
    const addition = this.read(record);
    if (this.recordsRead <= this.earlierRecords) {
      if (addition) this.skipped += 1;
      if (this.recordsRead === this.earlierRecords && this.currentDigest() !== this.options.earlier?.digest) throw otherInputError();
      return;
    }
    if (addition) this.pending.push(addition);
  }

  /** What is to be appended for the animal, by the rules of a request that adds one; undefined where they refuse it. */
  private read(record: ImportRecord): StreamAppend | undefined {
    try {
      if (record.problem === undefined) return preparePetAppend(new AddPet(readNewPet(parseJson(record.json)), this.options.metadata));
      this.refuse(record.line, record.problem);
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      this.refuse(record.line, error.message);
    }
    return undefined;
  }

  private refuse(line: number, reason: string): void {
    this.rejected += 1;
    this.options.onRefused(line, reason);
  }

  /** Adds what is pending and moves the batch's progress in one transaction. */
  private async commit(): Promise<void> {
    if (this.pending.length === 0) return;
    if (!this.options.dryRun) await this.append();
    this.added += this.pending.length;
    this.pending = [];
  }

  private async append(): Promise<void> {
    await this.pause();
    const { metadata, batch } = this.options;
    const from = this.recordsCommitted;
    const to = { recordsDone: this.recordsRead, digest: this.currentDigest() };
    const startedAt = performance.now();
    await this.eventStore.append(this.pending, {
      metadata,
      ...(batch && { withinTransaction: (transaction) => recordImportStep(transaction, { batch, from, to, now: this.clock.now() }) }),
    });
    this.pausedUntil = performance.now() + this.pace.record(this.pending.length, performance.now() - startedAt);
    this.recordsCommitted = to.recordsDone;
  }

  /** The records of the next transaction were read meanwhile, which leaves the database to others as well. */
  private async pause(): Promise<void> {
    const left = this.pausedUntil - performance.now();
    if (left > 0) await delay(left);
  }

  private currentDigest(): string {
    return this.digest.copy().digest('hex');
  }

  private withWhatWasAdded(error: unknown): unknown {
    if (!(error instanceof ApplicationError) || this.added === 0 || this.options.dryRun) return error;
    const next = this.options.batch ? 'the same command adds the rest' : 'they stay';
    return new ApplicationError(error, `${error.message} ${this.added} animals were added before this; ${next}.`, { cause: error });
  }
}

function otherInputError(): ApplicationError {
  return new ApplicationError(
    'invalid_request',
    'This is not the input that the batch began with: what it has added does not stand at the start. Give another input another --batch name.',
  );
}

const FIRST_SIZE = 8;
const LARGEST_SIZE = 1_000;
// Half of what a transaction may take, so that a slow disk or a busy machine does not carry it over the limit.
const AIM_MILLISECONDS = 25;
const LARGEST_GROWTH = 2;
const SHORTEST_PAUSE_MILLISECONDS = 5;

/** Keeps transactions under 50 ms: sizes the next one by how long the last one took, and leaves time for other writers between. */
export class TransactionPace {
  private currentSize = FIRST_SIZE;

  /** How many animals the next transaction should hold. */
  get size(): number {
    return this.currentSize;
  }

  /** Takes in how long a transaction took. Returns for how many milliseconds to leave the database to others. */
  record(animals: number, milliseconds: number): number {
    const fitting = Math.floor((animals * AIM_MILLISECONDS) / Math.max(milliseconds, 0.01));
    this.currentSize = Math.max(1, Math.min(fitting, this.currentSize * LARGEST_GROWTH, LARGEST_SIZE));
    return Math.max(SHORTEST_PAUSE_MILLISECONDS, milliseconds / 2);
  }
}
