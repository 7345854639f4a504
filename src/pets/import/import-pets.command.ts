import { createHash } from 'node:crypto';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { parseJson } from '#libs/http';
import { Clock, ApplicationError, systemTimers } from '#libs/observability';
import { Database } from '#libs/database';
import { EventStore, type EventMetadata, type StreamAppend } from '#libs/event-sourcing';
import { AddPet, preparePetAppend } from '../commands/add-pet.command.js';
import { readNewPet } from '../rest/pet.request.js';
import { findImportPosition, recordImportEnd, recordImportStep, type ImportPosition } from './import-progress.js';
import { csvRecords, ndjsonRecords, type ImportRecord } from './import-records.js';

export type ImportFormat = 'ndjson' | 'csv';

interface PetsImport {
  readonly source: AsyncIterable<Uint8Array>;
  readonly format: ImportFormat;
  /** Names the input, so that a repeated import adds only missing records, until 30 days after it was completed. Without it every record is new. */
  readonly batch?: string;
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
  ) {}

  async execute({ input, metadata }: ImportPets): Promise<ImportSummary> {
    // A record that is invalid as NDJSON may be valid as CSV, so each format has its own progress.
    const batch = input.batch && `${input.format}:${input.batch}`;
    const earlier = batch ? await findImportPosition(this.database.reader, batch) : undefined;
    const options = { ...input, ...(batch && { batch }), metadata };
    const summary = await new ImportRun(this.eventStore, this.clock, options, earlier).execute();
    if (batch && !input.dryRun) await this.database.write((transaction) => recordImportEnd(transaction, batch, this.clock.now()));
    return summary;
  }
}

class ImportRun {
  private readonly startedAt = performance.now();
  private readonly pace = new TransactionPace();
  private readonly digest = createHash('sha256');
  private recordsRead = 0n;
  private recordsCommitted: bigint;
  private pending: StreamAppend[] = [];
  private pausedUntil = 0;
  private added = 0;
  private skipped = 0;
  private rejected = 0;

  /** @param earlier the end of an earlier run of the batch */
  constructor(
    private readonly eventStore: EventStore,
    private readonly clock: Clock,
    private readonly options: PetsImport & { readonly metadata: EventMetadata },
    private readonly earlier: ImportPosition = { recordsDone: 0n, digest: '' },
  ) {
    this.recordsCommitted = earlier.recordsDone;
  }

  /** @throws ApplicationError if the import ends early; its message says how many animals were added. */
  async execute(): Promise<ImportSummary> {
    const { source, format, dryRun } = this.options;
    try {
      for await (const record of format === 'csv' ? csvRecords(source) : ndjsonRecords(source)) {
        this.take(record);
        if (this.pending.length >= this.pace.size) await this.commit();
      }
      if (this.recordsRead < this.earlier.recordsDone) throw otherInputError();
      await this.commit();
    } catch (error) {
      throw this.withWhatWasAdded(error);
    }
    const seconds = Math.round(performance.now() - this.startedAt) / 1_000;
    return { added: this.added, skipped: this.skipped, rejected: this.rejected, seconds, ...(dryRun && { dryRun }) };
  }

  private take(record: ImportRecord): void {
    this.recordsRead += 1n;
    this.digest.update(`${record.json ?? ''}\n`);
    const addition = this.read(record);
    const { recordsDone, digest } = this.earlier;
    if (this.recordsRead === recordsDone && this.currentDigest() !== digest) throw otherInputError();
    if (!addition) return;
    if (this.recordsRead <= recordsDone) this.skipped += 1;
    else this.pending.push(addition);
  }

  /** Returns the append of a record; undefined for an invalid one, which is reported. */
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

  /** Adds the pending animals and the batch's progress in one transaction. */
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

  /** Leaves time for other writers; reading the next records counts towards it. */
  private async pause(): Promise<void> {
    const left = this.pausedUntil - performance.now();
    if (left > 0) await systemTimers.sleep(left);
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
// Half the limit, so that a slow disk or a busy machine does not exceed it.
const AIM_MILLISECONDS = 25;
const LARGEST_GROWTH = 2;
const SHORTEST_PAUSE_MILLISECONDS = 5;

/** Keeps transactions under 50 ms: sizes the next one by the duration of the last one, with pauses for other writers. */
export class TransactionPace {
  private currentSize = FIRST_SIZE;

  /** Number of animals for the next transaction. */
  get size(): number {
    return this.currentSize;
  }

  /** Records the duration of a transaction. Returns the milliseconds to pause. */
  record(animals: number, milliseconds: number): number {
    const fitting = Math.floor((animals * AIM_MILLISECONDS) / Math.max(milliseconds, 0.01));
    this.currentSize = Math.max(1, Math.min(fitting, this.currentSize * LARGEST_GROWTH, LARGEST_SIZE));
    return Math.max(SHORTEST_PAUSE_MILLISECONDS, milliseconds / 2);
  }
}
