import { Command, type OutputConfiguration } from 'commander';
import * as registrations from '../../commands.js';
import { VERSION } from '../../config/index.js';
import type { OperationsCliContext } from '../../operations/index.js';
import { ApplicationCliContext } from './application-cli-context.js';

/** Creates the program with the commands of all modules. It throws instead of ending the process. */
export function createProgram(context: OperationsCliContext, output: OutputConfiguration): Command {
  const program = new Command('adoption')
    .description('operate the animal adoption service')
    .version(VERSION, '-V, --version', 'print the version')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput(output);
  for (const register of Object.values(registrations)) register(program, context);
  acceptEverywhere(program);
  return program;
}

/** Creates the program for the documents, which read its commands and run none. */
export async function createDocumentedProgram(): Promise<Command> {
  const { stdin, stdout, stderr } = process;
  const context = new ApplicationCliContext({ loadEnvironment: () => ({}), stdin, stdout, stderr });
  // The descriptions of some options list the scopes.
  await context.loadScopes();
  return createProgram(context, {});
}

/** Adds the options of all commands. */
function acceptEverywhere(command: Command): void {
  command.option('--json', 'print the result as JSON');
  if (command.commands.length === 0) command.option('--as <name>', 'actor to record for a change (default: user@host)');
  for (const subcommand of command.commands) acceptEverywhere(subcommand);
}
