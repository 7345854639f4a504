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
const BATCH_NAME = /^.{1,255}$/su;

const HELP = `
NDJSON has one animal a line: {"name":"Rex","categoryId":1,"status":"available"}
CSV has a header with the columns name, categoryId and, if given, the optional ones, such as status; an empty one is none.
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
    .option('--batch <name>', 'name of the import, for standard input or instead of the path of the file', parseBatch)
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
  const { source, size, ...known }: OpenedFile = file === STANDARD_INPUT ? { source: context.stdin } : await openFile(file);
  try {
    const summary = await context.execute(
      new commands.ImportPets(
        {
          source: reportProgress(source, progress, size),
          ...(options.batch === undefined ? known : { batch: options.batch }),
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

function parseBatch(name: string): string {
  if (BATCH_NAME.test(name)) return `name:${name}`;
  throw new UsageError('--batch must name the import in 1 to 255 characters.');
}

interface OpenedFile extends Pick<ImportPets['input'], 'batch' | 'digest'> {
  readonly source: AsyncIterable<unknown>;
  /** In bytes; absent if it is not known. */
  readonly size?: number;
}

async function openFile(path: string): Promise<OpenedFile> {
  try {
    const file = await stat(path);
    if (!file.isFile()) throw invalid(`${path} is not a file; to read from a pipe, write - instead.`);
    await access(path, constants.R_OK);
    return { source: createReadStream(path), size: file.size, batch: `file:${resolve(path)}`, digest: () => digestFile(path) };
  } catch (error) {
    if (error instanceof ApplicationError) throw error;
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw invalid(`${path} cannot be read: ${isMissing ? 'it does not exist' : String(error)}.`, error);
  }
}

async function digestFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path)) digest.update(chunk as Uint8Array);
  return `sha256:${digest.digest('hex')}`;
}

async function* reportProgress(
  source: AsyncIterable<unknown>,
  progress: ProgressLine,
  size: number | undefined,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    yield chunk;
    progress.update((read += chunk.length), size);
  }
}

function invalid(message: string, cause?: unknown): ApplicationError {
  return new ApplicationError('invalid_parameter', message, { cause });
}
