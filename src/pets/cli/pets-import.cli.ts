import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { duration, fields, ProgressLine, toned, UsageError, type CliContext } from '#libs/cli';
import { ApplicationError } from '#libs/observability';
import type { ImportFormat, ImportPets, ImportSummary } from '../import/import-pets.command.js';

const FORMATS: readonly ImportFormat[] = ['ndjson', 'csv'];
const STANDARD_INPUT = '-';
const LONGEST_BATCH_NAME = 255;
const BATCH_NAME = new RegExp(`^.{1,${LONGEST_BATCH_NAME}}$`, 'su');

const HELP = `
NDJSON has one animal a line: {"name":"Rex","categoryId":1,"status":"available"}
CSV has a header with the columns name, categoryId and, optionally, status; an empty status is none.
The rules are those of POST /v1/pets: a new animal has no "id", so "pets export --with-ids" cannot be imported.

An invalid line is reported on standard error; the others are added, and the exit code is 1.
After an interruption or a correction, run the same command again: only rows that are missing are added, wherever they stand. An import
is known by the path or the content of its file, or by --batch NAME, and its rows by their values, for 30 days; so give other data
under the same path a name of its own. Standard input without --batch is never recognised: each run adds every line.

With --dry-run the summary, the rejected lines and the exit code are the same as without it.`;

const ALL_ADDED_BEFORE = 'Nothing was changed: an earlier run has added everything.';

interface ImportOptions {
  readonly format?: ImportFormat;
  readonly batch?: string;
  readonly dryRun?: boolean;
}

/** Adds `pets import FILE|-`. */
export function addImport(pets: Command, context: CliContext): void {
  pets
    .command('import <file>')
    .description('add the animals of an NDJSON or CSV file, or of standard input if the file is -')
    .addOption(
      new Option('--format <format>', 'format of the file (default: csv if its name ends in .csv, otherwise ndjson)').choices(FORMATS),
    )
    .option('--batch <name>', 'name of the import, for standard input or instead of the path of the file')
    .option('--dry-run', 'report the animals that would be added and rejected, and add nothing')
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
  const commands = await import('../import/import-pets.command.js');
  const progress = new ProgressLine(options.dryRun ? 'reading' : 'importing');
  const input = file === STANDARD_INPUT ? { source: reportProgress(process.stdin, progress) } : await openFile(file, progress);
  const name = options.batch === undefined ? nameFile(file) : { batch: nameBatch(options.batch) };
  try {
    const summary = await context.execute(
      new commands.ImportPets(
        {
          ...input,
          ...name,
          dryRun: options.dryRun ?? false,
          format: options.format ?? (file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson'),
          onRefused: (line, reason) => {
            progress.clear();
            context.note(`line ${line}: ${reason}`);
          },
        },
        context.metadata,
      ),
    );
    context.print(summary, summaryFields);
    if (!summary.dryRun && summary.added === 0 && summary.skipped > 0) context.note(ALL_ADDED_BEFORE);
    if (summary.rejected > 0) context.fail();
  } finally {
    progress.clear();
  }
}

function nameBatch(batch: string): string {
  if (!BATCH_NAME.test(batch)) {
    throw new UsageError(`--batch must name the import in 1 to ${LONGEST_BATCH_NAME} characters.`);
  }
  return `name:${batch}`;
}

type Name = Pick<ImportPets['input'], 'batch' | 'digest'>;

function nameFile(path: string): Name {
  return path === STANDARD_INPUT ? {} : { batch: `file:${resolve(path)}`, digest: () => digestFile(path) };
}

async function openFile(path: string, progress: ProgressLine): Promise<Pick<ImportPets['input'], 'source'>> {
  try {
    const file = await stat(path);
    if (!file.isFile()) throw invalid(`${path} is not a file; to read from a pipe, write - instead.`);
    await access(path, constants.R_OK);
    return { source: reportProgress(createReadStream(path), progress, file.size) };
  } catch (error) {
    throw error instanceof ApplicationError ? error : unreadable(path, error);
  }
}

async function digestFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path)) digest.update(chunk as Uint8Array);
  return `sha256:${digest.digest('hex')}`;
}

async function* reportProgress(source: AsyncIterable<unknown>, progress: ProgressLine, size?: number): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    yield chunk;
    progress.update((read += chunk.length), size);
  }
}

function unreadable(path: string, cause: unknown): ApplicationError {
  const isMissing = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ENOENT';
  return invalid(`${path} cannot be read: ${isMissing ? 'it does not exist' : String(cause)}.`, cause);
}

function invalid(message: string, cause?: unknown): ApplicationError {
  return new ApplicationError('invalid_parameter', message, { cause });
}
