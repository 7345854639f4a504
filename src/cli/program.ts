import { Command, CommanderError, type Option } from 'commander';
import { VERSION } from '../config/index.js';
import { checkWords } from './storable-words.js';

/** What a line says for any command. */
export interface GeneralOptions {
  /** Whether results shall be JSON. */
  readonly json: boolean;
}

/** Adds commands to the program. */
export type Registration = (program: Command) => void;

/** Where a program says what it has to say by itself. */
export interface ProgramOutput {
  /** Help that was asked for, and the version. */
  result(text: string): void;
  /** The help of a group of which no command was named. */
  helpOfGroup(text: string): void;
}

/**
 * The commands with what holds for all of them: `--json`, `--version`, help, and that an unknown option is named before one that is missing.
 * Mistakes are thrown, not printed.
 * @param onAction called when all that was given is found right, before a command acts
 */
export function createProgram(register: Registration, output: ProgramOutput, onAction: (options: GeneralOptions) => void): Command {
  const program = new Command('adoption')
    .description('Operates the animal adoption service.')
    .version(VERSION, '-V, --version', 'print the version')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        output.result(text);
      },
      writeErr: (text) => {
        output.helpOfGroup(text);
      },
      outputError: () => undefined,
    });
  register(program);
  acceptJsonEverywhere(program);
  const required = takeRequiredOptions(program);
  return program.hook('preAction', (_program, command) => {
    checkWords(command);
    checkRequired(command, required);
    onAction({ json: command.optsWithGlobals()['json'] === true });
  });
}

function acceptJsonEverywhere(command: Command): void {
  if (!command.options.some(({ long }) => long === '--json')) command.option('--json', 'print the result as JSON');
  for (const subcommand of command.commands) acceptJsonEverywhere(subcommand);
}

/** The options that must be given. Commander would miss them before it looks whether all that were given exist, so that it is told of none. */
function takeRequiredOptions(command: Command): Set<Option> {
  const own = command.options.filter(({ mandatory }) => mandatory);
  for (const option of own) option.mandatory = false;
  return new Set([...own, ...command.commands.flatMap((subcommand) => [...takeRequiredOptions(subcommand)])]);
}

function checkRequired(command: Command, required: ReadonlySet<Option>): void {
  const missing = command.options.find((option) => required.has(option) && command.getOptionValue(option.attributeName()) === undefined);
  if (missing) throw new CommanderError(2, 'commander.missingMandatoryOptionValue', `required option '${missing.flags}' not specified`);
}
