import { renderTable } from './render-table.mjs';

/** Renders a section for each group of commands of a commander program, with its commands, their arguments and options. */
export function renderCommands(program) {
  const leaves = listLeaves(program);
  const [first, ...others] = leaves.map((leaf) => optionRows(leaf));
  const shared = first.filter(([flags]) => others.every((rows) => rows.some(([other]) => other === flags)));
  const common = new Set(shared.map(([flags]) => flags));
  return [
    '## Commands\n',
    'Every command has these options:\n',
    renderTable(['option', 'what it does'], shared),
    ...program.commands.map((command) => renderCommand(command, common, 3)),
  ].join('\n');
}

function renderCommand(command, common, level) {
  const heading = `${'#'.repeat(level)} \`${nameOf(command)}\`\n`;
  const subcommands = command.commands.map((subcommand) => renderCommand(subcommand, common, level + 1));
  const description = command.description();
  const sentence = `${description.charAt(0).toUpperCase()}${description.slice(1)}.\n`;
  if (subcommands.length > 0) return [heading, sentence, ...subcommands].join('\n');
  const usage = `\`${command.createHelp().commandUsage(command)}\`\n`;
  const rows = [...argumentRows(command), ...optionRows(command).filter(([flags]) => !common.has(flags))];
  return [heading, sentence, usage, ...(rows.length > 0 ? [renderTable(['argument or option', 'what it does'], rows)] : [])].join('\n');
}

function argumentRows(command) {
  return command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return [`\`${argument.required ? `<${name}>` : `[${name}]`}\``, command.createHelp().argumentDescription(argument)];
  });
}

function optionRows(command) {
  const describe = (option) => `${command.createHelp().optionDescription(option)}${option.mandatory ? ' (required)' : ''}`;
  return command.options.filter(({ hidden }) => !hidden).map((option) => [`\`${option.flags}\``, describe(option)]);
}

function listLeaves(command) {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves);
}

/** The name with those of the groups above it, without that of the program. */
function nameOf(command) {
  return command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}
