import { readAnswer } from './readme/readme-answer.js';
import { readDocument, shellBlocks } from './readme/readme-text.js';
import { openReadmeWorkspace, type ReadmeWorkspace } from './readme/readme-workspace.js';
import { runHere } from './command-line.fixture.js';

const MOST_LINES = 150;
const FIRST_SCREEN_LINES = 40;
const COMMAND_MILLISECONDS = 120_000;

const readme = readDocument('README.md');
const blocks = shellBlocks(readme);
const setUp = blocks.filter(({ commands }) => commands.includes('npm ci'));

/** The pages whose commands are run, each on a fresh database. */
const pages = ['README.md', 'docs/command-line.md'].map((name) => ({
  name,
  runnable: shellBlocks(readDocument(name)).filter(({ commands }) => !commands.includes('npm ci')),
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

  it('is short', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(MOST_LINES);
  });

  it.each(['README.md', 'CONTRIBUTING.md', 'docs/command-line.md'])('names only scripts that exist, as does %s', (name) => {
    const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };
    const named = [...readDocument(name).matchAll(/npm run (?:--silent )?([a-z:]+)/g)].map(([, script]) => script);

    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });
});

describe.each(pages)('what $name says, done on a fresh database', ({ runnable }) => {
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
});

/** The commands of the reference, with the options of their tables. */
const documentedCommands = readDocument('docs/command-line.md')
  .split(/^#{3,4} (?=`)/m)
  .slice(1)
  .filter((section) => section.includes('\n`adoption '))
  .map((section) => ({
    name: /^`([^`]+)`/.exec(section)?.[1] ?? '',
    options: [...section.matchAll(/^\| `(?:-\w, )?(--[a-z-]+)/gm)].map(([, option = '']) => option).sort(),
  }));

describe('the reference of the command line', () => {
  it.each(documentedCommands)('documents the options of $name', async ({ name, options }) => {
    const help = await helpOf(name);
    const offered = new Set([...help.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, option = '']) => option));

    expect([...offered].filter((option) => !['--help', '--json', '--as'].includes(option)).sort()).toEqual(options);
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
