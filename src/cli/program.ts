import { Command } from 'commander';
import { registerCommands } from '../composition.js';
import type { OperationsCliContext } from '../operations/index.js';
import { checkWords } from './storable-words.js';
import type { StandardOutput } from './standard-output.js';

/** The whole command line. Mistakes are thrown, not printed; help goes to standard output. */
export function createProgram(context: OperationsCliContext, output: StandardOutput): Command {
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
  registerCommands(program, context);
  acceptJsonEverywhere(program);
  return program;
}

function acceptJsonEverywhere(command: Command): void {
  if (!command.options.some(({ long }) => long === '--json')) command.option('--json', 'print the result as JSON');
  for (const subcommand of command.commands) acceptJsonEverywhere(subcommand);
}
