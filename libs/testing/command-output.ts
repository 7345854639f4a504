import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import type { CliContext, CommandRegistration } from '#libs/cli-kit';

/** Runs a command of a module's command group on an application and gives the JSON values it prints. */
export async function commandOutput(
  register: CommandRegistration,
  application: INestApplicationContext,
  words: readonly string[],
): Promise<unknown[]> {
  const printed: unknown[] = [];
  const context: CliContext = {
    scopes: new Map(),
    application: () => Promise.resolve(application),
    printJson: (value) => printed.push(value),
    printLine: () => undefined,
    note: () => undefined,
    fail: () => undefined,
  };
  const program = new Command();
  register(program, context);
  await program.parseAsync([...words], { from: 'user' });
  return printed;
}
