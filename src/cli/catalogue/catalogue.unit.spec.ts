import { Command, Option, type Command as AnyCommand } from 'commander';
import { count, parseDuration, wholeNumber } from '#libs/cli-kit';
import { addCatalogued, catalogueOf } from './catalogue.js';

function lamps(): Command {
  const program = new Command('test');
  const group = program.command('lamps').description('light and mend lamps');
  group
    .command('light <id> [rooms...]')
    .description('light a lamp')
    .addHelpText('after', '\nA lamp burns until it is put out.')
    .option('--for <duration>', 'how long', parseDuration)
    .addOption(new Option('--shade <shade>', 'of which make').choices(['paper', 'glass']))
    .option('--brightness <count>', 'how bright', count('--brightness'))
    .addOption(new Option('--colour <colour>', 'in which colour').choices(['red', 'blue']).default('red'));
  group
    .command('mend')
    .argument('<id>', "the lamp's number", wholeNumber('ID must be a number', 1n))
    .requiredOption('--reason <reason>', 'why')
    .addOption(new Option('--limit <count>', 'at most').argParser(wholeNumber('--limit must be a number', 1n)).default(100n, '100'));
  return program;
}

function restored(acts: () => void = () => undefined): Command {
  const program = new Command('test');
  addCatalogued(program, JSON.parse(JSON.stringify(catalogueOf(lamps()))), acts);
  return program;
}

function commandsIn(command: AnyCommand): AnyCommand[] {
  return [command, ...command.commands.flatMap(commandsIn)];
}

function helpOf(command: AnyCommand): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

describe('a catalogue of commands', () => {
  it('gives the help of the commands that it was made of', () => {
    expect(commandsIn(restored()).map(helpOf)).toEqual(commandsIn(lamps()).map(helpOf));
  });

  it.each([
    ['ID must be a number, not "x"', 'lamps', 'mend', 'x', '--reason', 'dark'],
    ['ID must be a number, not "0"', 'lamps', 'mend', '0', '--reason', 'dark'],
    ['"5w" is not a duration', 'lamps', 'light', '1', '--for', '5w'],
    ['--brightness must be a whole number', 'lamps', 'light', '1', '--brightness', 'a'],
    ["required option '--reason <reason>' not specified", 'lamps', 'mend', '1'],
    ['Allowed choices are red, blue', 'lamps', 'light', '1', '--colour', 'green'],
    ["missing required argument 'id'", 'lamps', 'light'],
  ])('refuses what they refuse: %s', (reason, ...words) => {
    for (const program of [lamps(), restored()]) {
      for (const command of commandsIn(program)) {
        command.exitOverride().configureOutput({ outputError: () => undefined });
        if (command.commands.length === 0) command.action(() => undefined);
      }
      expect(() => program.parse(words, { from: 'user' })).toThrow(reason);
    }
  });

  it('only notes that a command would act', () => {
    let acts = 0;
    restored(() => (acts += 1)).parse(['lamps', 'light', '1', 'kitchen', '--for', '2h'], { from: 'user' });
    expect(acts).toBe(1);
  });

  it('is refused with a parser that it cannot make again', () => {
    const [group] = catalogueOf(lamps()).commands;
    const unknown = { ...group?.commands[0], arguments: [{ form: '<id>', description: '', recipe: ['roman'] as const }] };
    expect(() => {
      addCatalogued(new Command(), { ...catalogueOf(lamps()), commands: [unknown as never] }, () => undefined);
    }).toThrow('knows no parser roman');
  });
});
