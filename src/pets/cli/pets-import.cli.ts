import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { duration, fields, ProgressBar, toned, UsageError, type CliContext } from '#libs/cli';
import { ApplicationError } from '#libs/observability';
import type { ImportFormat, ImportSummary } from '../import/import-pets.command.js';

const FORMATS: readonly ImportFormat[] = ['ndjson', 'csv'];
const STANDARD_INPUT = '-';
const LONGEST_BATCH_NAME = 255;
const BATCH_NAME = new RegExp(`^.{1,${LONGEST_BATCH_NAME}}$`, 'su');

const HELP = `
NDJSON has one animal a line: {"name":"Rex","categoryId":1,"status":"available"}
CSV has a header with the columns name, categoryId and, if wanted, status; an empty status is none.
The rules are those of POST /v1/pets: "id" is no field of a new animal, so "pets export --with-ids" cannot be imported.

A line that breaks them is named on standard error; the others are added, and the exit code is 1.
After an interruption, run the same command again: only what is missing is added. A file is known by its content,
until 30 days after it was imported to its end.
Standard input is known by --batch NAME alone; without it nothing can be continued and each run adds every line.

With --dry-run the summary, the refused lines and the exit code are those that the same command would have without it.`;

const ALL_ADDED_BEFORE = 'Nothing was changed: an earlier run has added all of it.';

interface ImportOptions {
  readonly format?: ImportFormat;
  readonly batch?: string;
  readonly dryRun?: boolean;
}

/** Adds `pets import FILE|-`. */
export function addImport(pets: Command, context: CliContext): void {
  pets
    .command('import <file>')
    .description('add the animals of an NDJSON or CSV file, or of standard input when the file is -')
    .addOption(new Option('--format <format>', 'default: csv for a name that ends in .csv, else ndjson').choices(FORMATS))
    .option('--batch <name>', 'name standard input, so that it can be continued')
    .option('--dry-run', 'tell what would be added and refused, and add nothing')
    .addHelpText('after', HELP)
    .action((file: string, options: ImportOptions) => importPets(context, file, options));
}

const summaryFields = fields<ImportSummary>(({ added, skipped, rejected, seconds, dryRun }) => ({
  ...(dryRun ? { 'to be added, as this was a dry run': added } : { added }),
  'added by an earlier run': skipped,
  refused: rejected === 0 ? 0 : toned('bad', String(rejected)),
  took: duration(seconds * 1_000),
}));

async function importPets(context: CliContext, file: string, options: ImportOptions): Promise<void> {
  const { ImportPets } = await import('../import/import-pets.command.js');
  const bar = new ProgressBar(options.dryRun ? 'reading' : 'importing');
  const input = file === STANDARD_INPUT ? standardInput(options.batch) : await fileInput(file, options.batch, bar);
  try {
    const summary = await context.execute(
      new ImportPets(
        {
          ...input,
          dryRun: options.dryRun ?? false,
          format: options.format ?? (file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson'),
          onRefused: (line, reason) => {
            bar.clear();
            context.note(`line ${line}: ${reason}`);
          },
        },
        { actor: 'cli' },
      ),
    );
    context.print(summary, summaryFields);
    if (!summary.dryRun && summary.added === 0 && summary.skipped > 0) context.note(ALL_ADDED_BEFORE);
    if (summary.rejected > 0) context.fail();
  } finally {
    bar.clear();
  }
}

interface Input {
  readonly source: AsyncIterable<Uint8Array>;
  readonly batch?: string;
}

function standardInput(batch: string | undefined): Input {
  if (batch !== undefined && !BATCH_NAME.test(batch)) {
    throw new UsageError(`--batch must name the input in 1 to ${LONGEST_BATCH_NAME} characters.`);
  }
  return { source: process.stdin, ...(batch !== undefined && { batch: `name:${batch}` }) };
}

async function fileInput(path: string, batch: string | undefined, bar: ProgressBar): Promise<Input> {
  if (batch !== undefined) throw new UsageError('--batch is for standard input; a file is known by its content.');
  const size = await readSize(path);
  return { batch: `sha256:${await hashFile(path)}`, source: readFile(path, size, bar) };
}

async function readSize(path: string): Promise<number> {
  const file = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!file.isFile()) throw invalid(`${path} is not a file; to read from a pipe, write - instead.`);
  return file.size;
}

async function hashFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) digest.update(chunk as Uint8Array);
  } catch (error) {
    throw unreadable(path, error);
  }
  return digest.digest('hex');
}

async function* readFile(path: string, size: number, bar: ProgressBar): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    yield chunk;
    bar.update((read += chunk.length), size);
  }
}

function unreadable(path: string, cause: unknown): ApplicationError {
  const isMissing = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ENOENT';
  return invalid(`${path} cannot be read: ${isMissing ? 'it does not exist' : String(cause)}.`, cause);
}

function invalid(message: string, cause?: unknown): ApplicationError {
  return new ApplicationError('invalid_parameter', message, { cause });
}
