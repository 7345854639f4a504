import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';

/** What a command of the command line works with. Standard output holds only the result. */
export interface CliContext {
  /** The application without HTTP, started on first use and closed when the command ends. */
  application(): Promise<INestApplicationContext>;
  /** What a key can be used for, by the names of the scopes, those that a key has by default first. */
  readonly scopes: ReadonlyMap<string, { readonly description: string; readonly isDefault?: boolean }>;
  /** Writes a result to standard output as JSON, one value a line (int64 as plain digits). */
  printJson(value: unknown): void;
  /** Writes one line of text to standard output. */
  printLine(text: string): void;
  /** Writes one line to standard error: progress, hints, refused lines. */
  note(text: string): void;
  /** Ends the command with exit code 1 after it has printed what it had to say. */
  fail(): void;
}

/** Adds a module's command group, such as `keys`, to the program. */
export type CommandRegistration<Context extends CliContext = CliContext> = (program: Command, context: Context) => void;
