import { Command } from 'commander';
import { registerKeysCommands } from '../auth/index.js';
import { registerPetsCommands, registerPetsExport, registerPetsImport } from '../pets/index.js';
import { registerKeyUsageCommand } from '../rate-limiting/index.js';
import type { ApplicationCliContext } from './application-cli-context.js';
import { registerDatabaseCommands } from './database.cli.js';
import { registerDoctor } from './doctor.cli.js';
import { registerEventsCommands } from './events.cli.js';
import { registerProjectionsCommands } from './projections.cli.js';
import { checkWords } from './storable-words.js';
import type { StandardOutput } from './standard-output.js';

const REGISTRATIONS = [
  registerKeysCommands,
  registerKeyUsageCommand,
  registerPetsCommands,
  registerPetsImport,
  registerPetsExport,
  registerEventsCommands,
  registerProjectionsCommands,
  registerDatabaseCommands,
  registerDoctor,
] as const;

/** The whole command line. Mistakes are thrown, not printed; help goes to standard output. */
export function createProgram(context: ApplicationCliContext, output: StandardOutput): Command {
  const program = new Command('npm run cli --')
    .description('Operates the animal adoption service.')
    .enablePositionalOptions()
    .exitOverride()
    .hook('preAction', (_program, command) => checkWords(command))
    .configureOutput({
      writeOut: (text) => {
        output.write(text);
      },
      writeErr: () => undefined,
      outputError: () => undefined,
    });
  for (const register of REGISTRATIONS) register(program, context);
  acceptJsonEverywhere(program);
  return program;
}

function acceptJsonEverywhere(command: Command): void {
  if (!command.options.some(({ long }) => long === '--json')) command.option('--json', 'print the result as JSON');
  for (const subcommand of command.commands) acceptJsonEverywhere(subcommand);
}
