import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import { Database } from '#libs/database';
import { EventStore, type EventMetadata } from '#libs/event-store';
import { findImportPosition, recordImportEnd } from './import-progress.js';
import { csvRecords, ndjsonRecords } from './import-records.js';
import { ImportRun, type ImportSummary } from './import-run.js';

export const importFormats = ['ndjson', 'csv'] as const;

export type ImportFormat = (typeof importFormats)[number];

export interface PetsImport {
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
