import type { Command, Option } from 'commander';
import { renderTable } from './generated-part.js';

/** Renders a section for each group of commands, with its commands, their arguments and options. */
export function renderCommands(program: Command): string {
  const leaves = listLeaves(program);
  const common = commonFlags(leaves);
  const [first] = leaves;
  const shared = first ? optionRows(first).filter(([flags = '']) => common.has(flags)) : [];
  return [
    '## Commands\n',
    'Every command has these options:\n',
    renderTable(['option', 'what it does'], shared),
    ...program.commands.map((command) => renderCommand(command, common, 3)),
  ].join('\n');
}

function renderCommand(command: Command, common: ReadonlySet<string>, level: number): string {
  const heading = `${'#'.repeat(level)} \`${nameOf(command)}\`\n`;
  const subcommands = command.commands.map((subcommand) => renderCommand(subcommand, common, level + 1));
  if (subcommands.length > 0) return [heading, `${sentence(command.description())}\n`, ...subcommands].join('\n');
  const usage = `\`${command.createHelp().commandUsage(command)}\`\n`;
  const rows = [...argumentRows(command), ...optionRows(command).filter(([flags = '']) => !common.has(flags))];
  const table = rows.length > 0 ? [renderTable(['argument or option', 'what it does'], rows)] : [];
  return [heading, `${sentence(command.description())}\n`, usage, ...table].join('\n');
}

function argumentRows(command: Command): string[][] {
  const help = command.createHelp();
  return command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return [code(argument.required ? `<${name}>` : `[${name}]`), help.argumentDescription(argument)];
  });
}

function optionRows(command: Command): string[][] {
  const help = command.createHelp();
  const describe = (option: Option) => `${help.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`;
  return command.options.filter(({ hidden }) => !hidden).map((option) => [code(option.flags), describe(option)]);
}

/** The flags that all commands have in common. */
function commonFlags(leaves: readonly Command[]): ReadonlySet<string> {
  const [first, ...others] = leaves.map((leaf) => new Set(optionRows(leaf).map(([flags = '']) => flags)));
  return new Set([...(first ?? [])].filter((flags) => others.every((flagsOfOther) => flagsOfOther.has(flags))));
}

function listLeaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves);
}

/** The name with those of the groups above it, without that of the program. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

function code(text: string): string {
  return `\`${text}\``;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
