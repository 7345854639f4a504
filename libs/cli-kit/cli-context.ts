import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { Cells, View } from './terminal/index.js';

/** What a command of the command line works with. Standard output holds only the result. */
export interface CliContext {
  /** The application without HTTP, started on first use and closed when the command ends. */
  application(): Promise<INestApplicationContext>;
  /** What a key can be used for, by the names of the scopes, those that a key has by default first. */
  readonly scopes: ReadonlyMap<string, { readonly description: string; readonly isDefault?: boolean }>;
  /**
   * Writes a result to standard output: for people where that is a terminal and nobody asked for JSON, by the view if there is one; else as
   * `printJson` does.
   */
  print<Value>(value: Value, view?: View<Value>): void;
  /** Begins a result of many values that come in pages: a table for people, its widths settled by the first page, else NDJSON. */
  printRows<Row>(cellsOf: (row: Row) => Cells): (page: readonly Row[]) => void;
  /** Writes a result to standard output as JSON whoever reads it, one value a line (int64 as plain digits). */
  printJson(value: unknown): void;
  /** Writes a result to standard output for people, unless JSON was asked for, also where a program reads it. */
  printText<Value>(value: Value, view: View<Value>): void;
  /** Writes one line to standard error: progress, hints, refused lines. */
  note(text: string): void;
  /**
   * Asks a person on standard error whether something shall be done; true where standard input and output are not both terminals, or there
   * is no question. Only `y` or `yes` is a yes.
   */
  confirm(question: () => Promise<string | undefined>): Promise<boolean>;
  /** Ends the command with exit code 1 after it has printed what it had to say. */
  fail(): void;
}

/** Adds a module's command group, such as `keys`, to the program. */
export type CommandRegistration<Context extends CliContext = CliContext> = (program: Command, context: Context) => void;
