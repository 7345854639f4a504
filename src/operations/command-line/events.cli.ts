import { setImmediate as nextTurn } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { stringifyJson } from '#libs/api-kit';
import {
  fields,
  instant,
  nearest,
  toned,
  wholeNumber,
  WholeText,
  type Cells,
  type CliContext,
  type CommandRegistration,
} from '#libs/cli-kit';
import { Database, raw } from '#libs/database';
import { EventRegistry, EventStore, MARK_NEW_HISTORY, type RecordedEvent } from '#libs/event-store';
import { describeHistory, type LogReport } from './log-verification.js';
import { verify } from './verification.js';

const PAGE_SIZE = 1_000n;

interface ListOptions {
  readonly stream?: string;
  readonly type?: string;
  readonly after: bigint;
  readonly limit: bigint;
}

/** Adds `events list|verify|begin-history`. */
export const registerEventsCommands: CommandRegistration = (program, context) => {
  const events = program.command('events').description('read and check the log of all facts');
  addList(events, context);
  addVerify(events, context);
  events
    .command('begin-history')
    .description('after a restore that no command of this service made: give the next event a position that was never given out')
    .action(() => beginHistory(context));
};

async function beginHistory(context: CliContext): Promise<void> {
  const database = (await context.application()).get(Database, { strict: false });
  await database.write((transaction) => transaction.query(raw(MARK_NEW_HISTORY)));
  context.note('The next event begins a new history of the log.');
}

function addList(events: Command, context: CliContext): void {
  events
    .command('list')
    .description('print events, ascending by position; as NDJSON where a program reads')
    .option('--stream <stream>', 'only of this stream, such as pet-1')
    .option('--type <type>', 'only of this type, such as pet-added')
    .addOption(new Option('--after <position>', 'only after this position').argParser(wholeNumberFrom('--after', 0n)).default(0n, '0'))
    .addOption(new Option('--limit <count>', 'at most this many').argParser(wholeNumberFrom('--limit', 1n)).default(100n, '100'))
    .action((options: ListOptions) => list(context, options));
}

function addVerify(events: Command, context: CliContext): void {
  events
    .command('verify')
    .description('check that versions have no gaps, positions ascend and projections equal a replay')
    .action(() => printVerification(context));
}

function wholeNumberFrom(option: string, minimum: bigint): (text: string) => bigint {
  return wholeNumber(`${option} must be a whole number from ${minimum} in plain digits`, minimum);
}

async function list(context: CliContext, { stream, type, after, limit }: ListOptions): Promise<void> {
  const application = await context.application();
  const store = application.get(EventStore, { strict: false });
  const registry = application.get(EventRegistry, { strict: false });
  const filter = { ...(stream !== undefined && { stream }), ...(type !== undefined && { types: [type] }) };
  const print = context.printRows(eventCells);
  let found = false;
  for (let position = after, left = limit; left > 0n;) {
    const size = Number(left < PAGE_SIZE ? left : PAGE_SIZE);
    const page = await store.readAll({ ...filter, after: position, limit: size });
    print(page.map((event) => listed(event, registry)));
    found ||= page.length > 0;
    if (page.length < size) break;
    // A reader that has gone away is noticed between two turns of the event loop.
    await nextTurn();
    position = page.at(-1)?.position ?? position;
    left -= BigInt(size);
  }
  if (!found && type !== undefined) hintAtType(context, type, registry.types());
}

/** A newer build may have written what this one does not know, so that an unknown type is no mistake. */
function hintAtType(context: CliContext, type: string, known: readonly string[]): void {
  const meant = nearest(type, known);
  if (meant !== undefined) context.note(`No event of the type ${type} was found. Did you mean ${meant}?`);
}

function eventCells({ position, recordedAt, stream, version, type, metadata, data }: ReturnType<typeof listed>): Cells {
  return {
    position,
    at: new WholeText(instant(recordedAt)),
    stream,
    version,
    type: new WholeText(type),
    by: metadata.actor,
    data: stringifyJson(data),
  };
}

const reportFields = fields<LogReport>(({ events, streams, histories = [], problems }) => ({
  events,
  streams,
  ...Object.fromEntries(histories.map((history, index) => [`history ${index + 2}`, describeHistory(history)])),
  problems: problems.length === 0 ? toned('good', 'none') : toned('bad', String(problems.length)),
  ...Object.fromEntries(problems.map((problem, index) => [`problem ${index + 1}`, problem])),
}));

function listed(event: RecordedEvent, registry: EventRegistry) {
  const { position, stream, version, type, schemaVersion, metadata, recordedAt } = event;
  return {
    position,
    stream,
    version,
    type,
    schemaVersion,
    data: registry.withoutSecrets(event),
    metadata,
    recordedAt: recordedAt.toISOString(),
  };
}

async function printVerification(context: CliContext): Promise<void> {
  const report = await verify(await context.application());
  context.print(report, reportFields);
  if (report.problems.length === 0) return;
  context.note(`The log or its projections have problems: ${report.problems.length}.`);
  context.fail();
}
