import { readAnswer } from './readme/readme-answer.js';
import { readDocument, shellBlocks, tableRows } from './readme/readme-text.js';
import { openReadmeWorkspace, type ReadmeWorkspace } from './readme/readme-workspace.js';
import { runHere } from './command-line.fixture.js';

const FIRST_SCREEN_LINES = 40;
const COMMAND_MILLISECONDS = 120_000;

const readme = readDocument('README.md');
const blocks = shellBlocks(readme);
const setUp = blocks.filter(({ commands }) => commands.includes('npm ci'));
const runnable = blocks.filter((block) => !setUp.includes(block));

/** `keys create` and the like, with the options that are documented. */
const documentedCommands = tableRows(readme, 'Command line').map(([syntax = '']) => ({
  name: syntax
    .split(' ')
    .filter((word) => /^[a-z]/.test(word))
    .join(' '),
  options: [...syntax.matchAll(/--[a-z-]+/g)].map(([option]) => option).sort(),
}));

describe('the README', () => {
  it('sets up with exactly two commands', () => {
    expect(setUp.map(({ commands }) => commands)).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  });

  it('shows both and one request with its answer on its first screen', () => {
    const [opening = ''] = readme.split('\n## ');
    const firstScreen = shellBlocks(opening);

    expect(opening.split('\n').length).toBeLessThanOrEqual(FIRST_SCREEN_LINES);
    expect(firstScreen).toHaveLength(3);
    expect(firstScreen.filter(({ answer }) => answer !== undefined)).toHaveLength(1);
  });

  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };
    const named = [...readme.matchAll(/npm run (?:--silent )?([a-z:]+)/g)].map(([, name]) => name);

    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });
});

describe('what the README says, done on a fresh database', () => {
  let workspace: ReadmeWorkspace;
  let opened = false;

  beforeAll(async () => {
    workspace = await openReadmeWorkspace();
    opened = true;
  });

  afterAll(async () => {
    if (opened) expect(await workspace.close()).toBe(0);
  });

  it.each(runnable)(
    'works: $commands',
    async ({ commands, answer }) => {
      const output = await workspace.run(commands);

      if (answer !== undefined) expect(readAnswer(output)).toEqual(readAnswer(answer));
    },
    COMMAND_MILLISECONDS,
  );

  it('includes the curl line that the first start printed', async () => {
    const output = await workspace.run(workspace.printedCurlLine);

    expect(JSON.parse(output)).not.toHaveProperty('code');
  });

  it.each(documentedCommands)('documents the options of $name', async ({ name, options }) => {
    const help = await helpOf(name);
    const offered = new Set([...help.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, option = '']) => option));

    expect([...offered].filter((option) => option !== '--help' && option !== '--json').sort()).toEqual(options);
  });

  it('documents every command', async () => {
    const groups = commandsIn(await helpOf());
    const commands: string[] = [];
    for (const group of groups) {
      const inGroup = commandsIn(await helpOf(group));
      commands.push(...(inGroup.length === 0 ? [group] : inGroup.map((command) => `${group} ${command}`)));
    }

    expect(documentedCommands.map(({ name }) => name).sort()).toEqual(commands.sort());
  });
});

async function helpOf(command = ''): Promise<string> {
  const words = command.split(' ').filter((word) => word !== '');
  return (await runHere({}, [...words, '--help'])).stdout;
}

/** The names below `Commands:` of a help text. */
function commandsIn(help: string): string[] {
  const [, list = ''] = help.split('Commands:\n');
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
}
