import type { Abstract, INestApplicationContext, Type } from '@nestjs/common';
import type { Command as BusCommand, Query } from '@nestjs/cqrs';
import type { Command } from 'commander';
import type { Page, PageRange } from '#libs/event-sourcing';
import type { Cells, View } from './views.js';

/** The context of a command. Standard output holds only its result. */
export interface CliContext {
  /** The scopes of API keys by name, the default ones first. */
  readonly scopes: ReadonlyMap<string, { readonly description: string; readonly isDefault?: boolean }>;
  /** Who changes something, for the events: the user of the system and its host, or the name after `--as`. */
  readonly metadata: { readonly actor: string };
  /** Standard input. */
  readonly stdin: NodeJS.ReadableStream;
  /** The application without HTTP, started on first use and closed when the command ends. */
  application(): Promise<INestApplicationContext>;
  /** Returns a provider of the application. */
  get<Provider>(token: Type<Provider> | Abstract<Provider>): Promise<Provider>;
  /** Runs a command on the application's command bus. */
  execute<Result>(command: BusCommand<Result>): Promise<Result>;
  /** Runs a query on the application's query bus. */
  query<Result>(query: Query<Result>): Promise<Result>;
  /**
   * Writes a result to standard output: by the view if that is a terminal and `--json` was not given, else as `printJson` does.
   * Default view: the members of the value.
   */
  print<Value>(value: Value, view?: View<Value>): void;
  /** Begins a result that comes in pages: a table on a terminal, its widths settled by the first page, else NDJSON. */
  printRows<Row>(toCells: (row: Row) => Cells): (page: readonly Row[]) => void;
  /** Writes values to standard output as JSON, one a line (int64 as plain digits). */
  printJson(...values: readonly unknown[]): void;
  /** Writes a result to standard output by the view, even if that is not a terminal, unless `--json` was given. */
  printText<Value>(value: Value, view: View<Value>): void;
  /** Writes one line to standard error: progress, hints, rejected lines. */
  note(text: string): void;
  /**
   * Asks a question on standard error; only `y` or `yes` is a yes. Returns true without asking if standard input and output are not both
   * terminals, or if there is no question.
   */
  confirm(question: () => Promise<string | undefined>): Promise<boolean>;
  /** Ends the command with exit code 1 after it has printed its result. */
  fail(): void;
}

/** Adds a module's commands to the program. Actions import their dependencies when they run, so that help is fast. */
export type CommandRegistration<Context extends CliContext = CliContext> = (program: Command, context: Context) => void;

/** Returns the command group with this name; adds it if it does not exist yet. */
export function commandGroup(program: Command, name: string, description: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name).description(description);
}

const PAGE_SIZE = 1_000;

/** Reads all pages of a list in order, each by the query of its range. */
export async function* readPages<Item>(
  context: CliContext,
  toQuery: (range: PageRange) => Query<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  for (let after: bigint | undefined; ;) {
    const { items, next } = await context.query(toQuery({ limit: PAGE_SIZE, after }));
    yield items;
    if (next === undefined) return;
    after = next;
  }
}

/** Options of a command that asks for confirmation. */
export interface ConfirmationOptions {
  readonly yes?: boolean;
}

/** Adds `--yes` to a command whose effect cannot be undone. */
export function acceptYes(command: Command): Command {
  return command.option('-y, --yes', 'do not ask for confirmation (without a terminal no command asks)');
}

/**
 * Asks for confirmation unless `--yes` was given. After a no, notes that nothing was changed and sets exit code 1.
 * @param question returns undefined if the command would change nothing or be rejected. Called only if a person is asked.
 */
export async function isConfirmed(
  context: CliContext,
  { yes = false }: ConfirmationOptions,
  question: () => Promise<string | undefined>,
): Promise<boolean> {
  if (yes || (await context.confirm(question))) return true;
  context.note('Nothing was changed.');
  context.fail();
  return false;
}
