import type { Argument, Command, Option } from 'commander';

/** What may be typed in one place of a line. */
export interface CompletedValue {
  /** As help names it. */
  readonly name: string;
  readonly description: string;
  /** The words that there are; undefined where anything may stand. */
  readonly choices: readonly string[] | undefined;
  readonly isFile: boolean;
}

export interface CompletedOption {
  /** As they are typed, such as `-V` and `--version`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** What follows it; undefined where nothing does. */
  readonly value: CompletedValue | undefined;
}

/** A command as completion sees it, with those below it. */
export interface CompletedCommand {
  /** The words that lead to it behind the program's name; none for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  readonly commands: readonly CompletedCommand[];
  readonly options: readonly CompletedOption[];
  readonly values: readonly CompletedValue[];
}

/** What values are called that name files. */
const FILE_NAMES: readonly string[] = ['file', 'folder', 'path'];

/** What can be typed for the command and those below it, as help shows them. */
export function completedCommand(command: Command, path: readonly string[] = []): CompletedCommand {
  const help = command.createHelp();
  const { commands } = command;
  return {
    path,
    description: command.description(),
    commands: help.visibleCommands(command).map((subcommand) => {
      const completed = completedCommand(subcommand, [...path, subcommand.name()]);
      // The command `help` is no part of the tree.
      return commands.includes(subcommand) ? completed : { ...completed, values: [nameOf(commands)] };
    }),
    options: help.visibleOptions(command).map(completedOption),
    values: command.registeredArguments.map(completedArgument),
  };
}

/** All commands, the outer before the inner. */
export function allCommands(command: CompletedCommand): CompletedCommand[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

/** The command's words, each behind a blank: what a script adds up while it reads a line. */
export function keyOf({ path }: Pick<CompletedCommand, 'path'>): string {
  return path.map((word) => ` ${word}`).join('');
}

/** The flags of a command's options behind which a value stands, as a script finds them on a line. */
export function valueOptionKeys(command: CompletedCommand): string[] {
  return command.options.filter(({ value }) => value).flatMap(({ flags }) => flags.map((flag) => `${keyOf(command)} ${flag}`));
}

function completedOption(option: Option): CompletedOption {
  const { short, long, description, flags, argChoices: choices } = option;
  const value = /[<[]([^\]>]+)[\]>]/.exec(flags)?.[1];
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    value: value === undefined ? undefined : { name: value, description, choices, isFile: FILE_NAMES.includes(value) },
  };
}

function completedArgument(argument: Argument): CompletedValue {
  const name = argument.name();
  return { name, description: argument.description, choices: argument.argChoices, isFile: FILE_NAMES.includes(name) };
}

function nameOf(commands: readonly Command[]): CompletedValue {
  return { name: 'command', description: 'a command', choices: commands.map((command) => command.name()), isFile: false };
}
