import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finished } from '../e2e/built-service.fixture.js';
import { linesOf } from '../e2e/command-line.fixture.js';
import { copyTree, type TreeCopy } from './tree-copy.fixture.js';

function expectRefused({ code, stdout, stderr }: Finished, refusal: string | RegExp): void {
  expect(stderr).toMatch(refusal);
  expect({ code, stdout, lines: linesOf(stderr).length }).toEqual({ code: 1, stdout: '', lines: 1 });
}

describe('generating a module', () => {
  let tree: TreeCopy;
  let before: ReadonlyMap<string, string>;
  beforeEach(async () => {
    tree = await copyTree();
    before = await tree.contents();
  });
  afterEach(() => tree.remove());

  const changedPaths = async () =>
    [...(await tree.contents())].filter(([path, digest]) => before.get(path) !== digest).map(([path]) => path);

  it('writes its folder, its line and the documents, and prints their paths, as a dry run does without writing', async () => {
    const rehearsed = await tree.generate('module', 'adoption-events', '--dry-run');
    expect(await tree.contents()).toEqual(before);
    const { code, stdout, stderr } = await tree.generate('module', 'adoption-events');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(rehearsed.stdout);
    expect(linesOf(stdout).sort()).toEqual((await changedPaths()).sort());
    expect(
      linesOf(stdout)
        .filter((path) => !path.startsWith('src/adoption-events/'))
        .sort(),
    ).toEqual([
      'docs/command-line.md',
      'docs/events.md',
      'docs/openapi.json',
      'docs/projections.json',
      'packages/client/src/adoption-events.ts',
      'packages/client/src/client.ts',
      'packages/client/src/document.ts',
      'packages/client/src/index.ts',
      'schema.graphql',
      'src/commands.ts',
      'src/modules.ts',
    ]);
    expect(await readFile(join(tree.root, 'src/modules.ts'), 'utf8')).toBe(
      (await readFile('src/modules.ts', 'utf8')).replace(
        "export { auth } from './auth/index.js';",
        "export { adoptionEvents } from './adoption-events/index.js';\n$&",
      ),
    );
    expect(await readFile(join(tree.root, 'src/commands.ts'), 'utf8')).toContain(
      "export { registerAdoptionEventsCommands } from './adoption-events/cli/adoption-events.cli.js';\n",
    );
    before = await tree.contents();
    expectRefused(await tree.generate('module', 'adoption-events'), /^"adoption-events" is taken by the folder src\/adoption-events/);
    expect(await tree.contents()).toEqual(before);
  });

  it('is done by one of two runs at a time, on what is not built yet', async () => {
    await rm(join(tree.root, 'dist'), { recursive: true });
    const runs = await Promise.all([tree.generate('module', 'shelters'), tree.generate('module', 'visits')]);
    expect(runs.map(({ code }) => code).sort()).toEqual([0, 1]);
    for (const run of runs) if (run.code === 1) expectRefused(run, /^Process \d+ is generating/);
    expect(existsSync(join(tree.root, 'src/shelters'))).not.toBe(existsSync(join(tree.root, 'src/visits')));
  });

  it('is refused where the list of modules has no place for it', async () => {
    await writeFile(join(tree.root, 'src/modules.ts'), "export * from './pets/index.js';\n");
    expectRefused(await tree.generate('module', 'shelters'), 'src/modules.ts has no place for the module');
    expect(await readdir(join(tree.root, 'src'))).not.toContain('shelters');
  });

  it('leaves nothing behind where a file cannot be written', async () => {
    await rm(join(tree.root, 'schema.graphql'));
    await symlink('/proc/version', join(tree.root, 'schema.graphql'));
    before = await tree.contents();
    expectRefused(await tree.generate('module', 'shelters'), /^schema\.graphql cannot be written, so nothing was: /);
    expect(await tree.contents()).toEqual(before);
    expect(await readdir(join(tree.root, 'src'))).not.toContain('shelters');
  });

  it('is refused where the service cannot be compiled or started', async () => {
    await appendFile(join(tree.root, 'src/bootstrap/composition.ts'), "\nthrow new Error('It does not start.');\n");
    before = await tree.contents();
    expectRefused(await tree.generate('module', 'shelters'), 'It does not start.');
    expect(await tree.contents()).toEqual(before);
  });
});

describe('what the generator does not write a module for', () => {
  // Nothing changes it.
  let tree: TreeCopy;
  let before: ReadonlyMap<string, string>;
  beforeAll(async () => {
    tree = await copyTree();
    before = await tree.contents();
  });

  it.each([
    ['shelter', 'take "shelters"'],
    ['pet', 'take another name, such as "pet-visits"'],
    ['pets', 'the folder src/pets'],
    ['classes', 'class in code'],
    ['constructors', 'constructor in code'],
    ['queries', 'queries in code'],
    ['../shelters', 'lower-case words'],
  ])('is refused for the name %j', async (name, refusal) => {
    expectRefused(await tree.generate('module', name), refusal);
    expect(await tree.contents()).toEqual(before);
  });

  it.each([
    [['--field', 'startsAt'], '"startsAt" is no field: write its name and kind, such as startsAt:time'],
    [['--field', 'startsAt:date'], '"startsAt:date" is no field'],
    [['--field', 'starts-at:time'], '"starts-at" is no name of a field'],
    [['--field', 'id:int64'], 'A field cannot be called "id"'],
    [['--field', 'class:text'], 'A field cannot be called "class"'],
    [['--field', 'ctid:text'], 'A field cannot be called "ctid"'],
    [['--field', 'noShow:boolean'], 'begin with another word than "no"'],
    [['--field', 'type:enum(short,long)'], 'Words cannot be called "type"'],
    [['--field', 'order:enum(first,last)'], 'Words cannot be called "order"'],
    [['--field', 'walker:enum(ana,tom)', '--field', 'walkerId:int64'], 'The filter "walkerIn" is there twice'],
    [['--field', 'size:enum(small)'], 'has one word: give two or more'],
    [['--field', 'size:enum(small,small)'], 'The word "small" is there twice'],
    [['--field', 'note:text', '--field', 'note:text?'], 'The field "note" is there twice'],
    [['--field', 'status:text', '--command', 'book', '--command', 'cancel'], 'no field can be called "status"'],
    [['--command', 'booking'], 'a command begins with an imperative'],
    [['--command', 'book-appointment'], '"book" is enough'],
    [['--command', 'list'], 'has "list" already'],
    [['--command', 'constructor'], 'has "constructor" already'],
    [['--command', 'put'], 'such as put=put'],
    [['--command', 'add:name'], 'is the first command, which takes all fields'],
    [['--command', 'add', '--command', 'move:place'], '"move:place" changes "place", which is no field: name one of name.'],
    [['--command', 'add', '--command', 'add'], 'The command "add" is there twice'],
    [['--command', 'add', '--command', 'put=added'], 'The event "added" is there twice'],
  ])('is refused for %j', async (words, refusal) => {
    expectRefused(await tree.generate('module', 'appointments', ...words), refusal);
  });

  it('takes commands and fields of a module only', async () => {
    expectRefused(await tree.generate('event', 'pet-fed', '--module', 'pets', '--field', 'food:text'), 'Only a module takes');
  });

  it('is refused before npm has installed what it needs', async () => {
    const bare = await copyTree();
    await rm(join(bare.root, 'node_modules'));
    expectRefused(await bare.generate('module', 'shelters'), 'Run npm ci first.');
    await bare.remove();
  });

  it.each([[['module']], [['modules', 'shelters']], [['module', 'shelters', '--force']]])('is refused for the words %j', async (words) => {
    expectRefused(await tree.generate(...words), /./);
  });

  it('says how to be used', async () => {
    const { code, stdout, stderr } = await tree.generate('command', '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: npm run generate -- module NAME .*\n +npm run generate -- command\|query\|event NAME --module NAME /);
    expect(await tree.contents()).toEqual(before);
  });

  it.each([
    ['docs', 'taken by the path of "docs"'],
    ['api-key-uses', 'The table api_key_uses is declared by'],
  ])('is refused for the name %s, which the service has', async (name, refusal) => {
    expectRefused(await tree.generate('module', name), refusal);
    expect(await tree.contents()).toEqual(before);
  });
});
