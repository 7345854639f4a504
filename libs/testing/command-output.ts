import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Command } from 'commander';
import type { CliContext, CommandRegistration } from '#libs/cli';

/**
 * Runs a command of a module's command group on an application and gives the values it prints.
 * @throws CommanderError for what is wrong with the line; whatever the command throws
 */
export async function commandOutput(
  register: CommandRegistration,
  application: INestApplicationContext,
  words: readonly string[],
  scopes: CliContext['scopes'] = new Map(),
): Promise<unknown[]> {
  const printed: unknown[] = [];
  const context: CliContext = {
    scopes,
    application: () => Promise.resolve(application),
    get: (token) => Promise.resolve(application.get(token, { strict: false })),
    execute: (command) => application.get(CommandBus, { strict: false }).execute(command),
    query: (query) => application.get(QueryBus, { strict: false }).execute(query),
    print: (value) => printed.push(value),
    printRows: () => (page) => printed.push(...page),
    printText: (value) => printed.push(value),
    printJson: (value) => printed.push(value),
    confirm: () => Promise.resolve(true),
    note: () => undefined,
    fail: () => undefined,
  };
  const program = new Command().exitOverride().configureOutput({ outputError: () => undefined });
  register(program, context);
  await program.parseAsync([...words], { from: 'user' });
  return printed;
}
