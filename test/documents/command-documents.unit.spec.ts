import { Argument, Command, Option } from 'commander';
import { renderCommands } from '../../src/bootstrap/command-documents.js';

/** Adds an option that all commands have. */
function addCommand(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--json', 'print JSON');
}

function sampleProgram(): Command {
  const program = new Command('sample');
  const lamps = program.command('lamps').description('light lamps');
  addCommand(lamps, 'light', 'light a lamp')
    .addArgument(new Argument('<color>', 'its color').choices(['red', 'blue']))
    .argument('[rooms...]', 'where')
    .requiredOption('--minutes <count>', 'how long | at most a day')
    .addOption(new Option('-y, --yes', 'do not ask'))
    .addOption(new Option('--secret').hideHelp());
  addCommand(lamps, 'list', 'print the lamps');
  addCommand(program, 'doctor', 'check everything');
  return program;
}

describe('the reference of the command line', () => {
  it('has the description, arguments and options of each command, and the options of all commands once', () => {
    expect(renderCommands(sampleProgram())).toBe(`## Commands

Every command has these options:

| option | what it does |
| --- | --- |
| \`--json\` | print JSON |

### \`lamps\`

Light lamps.

#### \`lamps light\`

Light a lamp.

\`sample lamps light [options] <color> [rooms...]\`

| argument or option | what it does |
| --- | --- |
| \`<color>\` | its color (choices: "red", "blue") |
| \`[rooms...]\` | where |
| \`--minutes <count>\` | how long \\| at most a day (required) |
| \`-y, --yes\` | do not ask |

#### \`lamps list\`

Print the lamps.

\`sample lamps list [options]\`

### \`doctor\`

Check everything.

\`sample doctor [options]\`
`);
  });
});
