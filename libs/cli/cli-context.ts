import type { Abstract, INestApplicationContext, Type } from '@nestjs/common';
import type { Command as BusCommand, Query } from '@nestjs/cqrs';
import type { Command } from 'commander';
import type { Cells, View } from './cell.js';

/** What a command of the command line works with. Standard output holds only the result. */
export interface CliContext {
  /** What a key can be used for, by the names of the scopes, the default ones first. */
  readonly scopes: ReadonlyMap<string, { readonly description: string; readonly isDefault?: boolean }>;
  /** The application without HTTP, started on first use and closed when the command ends. */
  application(): Promise<INestApplicationContext>;
  /** Returns a provider of the application. */
  get<Provider>(token: Type<Provider> | Abstract<Provider>): Promise<Provider>;
  /** Runs a command on the application's command bus. */
  execute<Result>(command: BusCommand<Result>): Promise<Result>;
  /** Runs a query on the application's query bus. */
  query<Result>(query: Query<Result>): Promise<Result>;
  /**
   * Writes a result to standard output: for people if that is a terminal and JSON was not asked for, by the view if there is one; else as
   * `printJson` does.
   */
  print<Value>(value: Value, view?: View<Value>): void;
  /** Begins a result that comes in pages: a table for people, its widths settled by the first page, else NDJSON. */
  printRows<Row>(toCells: (row: Row) => Cells): (page: readonly Row[]) => void;
  /** Writes a result to standard output as JSON, one value a line (int64 as plain digits). */
  printJson(value: unknown): void;
  /** Writes a result to standard output for people, unless JSON was asked for, even if a program reads it. */
  printText<Value>(value: Value, view: View<Value>): void;
  /** Writes one line to standard error: progress, hints, rejected lines. */
  note(text: string): void;
  /**
   * Asks a person on standard error a question; only `y` or `yes` is a yes. Returns true unasked if standard input and output are not both
   * terminals, or if there is no question.
   */
  confirm(question: () => Promise<string | undefined>): Promise<boolean>;
  /** Ends the command with exit code 1 after it has printed its result. */
  fail(): void;
}

/** Adds a module's commands to the program. Their actions load what they run, so that help and mistakes do not wait for it. */
export type CommandRegistration<Context extends CliContext = CliContext> = (program: Command, context: Context) => void;

/** Returns the group of the program with this name, and adds it if there is none yet. */
export function commandGroup(program: Command, name: string, description: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name).description(description);
}

/** The options of a command that asks before it acts. */
export interface ConfirmationOptions {
  readonly yes?: boolean;
}

/** Adds `--yes` to a command whose effect cannot be undone. */
export function acceptYes(command: Command): Command {
  return command.option('-y, --yes', 'do it without asking, which is done where standard input and output are terminals');
}

/**
 * Asks whether such a command shall act, unless `--yes` was given. If it shall not, notes that nothing was changed and sets exit code 1.
 * @param question undefined if nothing would be changed, or it will be refused. Called only if a person is asked.
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
