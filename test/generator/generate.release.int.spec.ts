import { appendFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finished } from '../e2e/built-service.fixture.js';
import { linesOf } from '../e2e/command-line.fixture.js';
import { copyTree, type TreeCopy } from './tree-copy.fixture.js';

function expectRefused({ code, stdout, stderr }: Finished, refusal: string): void {
  expect({ code, stdout, lines: linesOf(stderr).length }).toEqual({ code: 1, stdout: '', lines: 1 });
  expect(stderr).toContain(refusal);
}

describe('the generator', () => {
  let tree: TreeCopy;
  let before: ReadonlyMap<string, string>;

  /** Generates, and returns the paths that changed after it is certain that they are the printed ones, as in a dry run. */
  const generated = async (...words: string[]) => {
    const old = await tree.contents();
    const rehearsed = await tree.generate(...words, '--dry-run');
    expect(await tree.contents()).toEqual(old);
    const { code, stdout, stderr } = await tree.generate(...words);
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: rehearsed.stdout });
    const changed = [...(await tree.contents())].filter(([path, text]) => old.get(path) !== text).map(([path]) => path);
    expect(changed.sort()).toEqual(linesOf(stdout).sort());
    return new Map([...(await tree.contents())].filter(([path]) => changed.includes(path)));
  };

  describe('in a copy of the tree', () => {
    beforeAll(async () => {
      tree = await copyTree();
      before = await tree.contents();
    });

    it.each([
      [['module', 'shelter'], 'take "shelters"'],
      [['module', 'pets'], 'the folder src/pets'],
      [['module', '../shelters'], 'lower-case words'],
      [['module', 'visits', '--field', 'startsAt:date'], '"startsAt:date" is no field'],
      [['command', 'add-pet', '--module', 'pets'], '"add-pet" is taken by src/pets/commands/add-pet.command.ts'],
      [['follower', 'greet-adopters', '--module', 'pets', '--event', 'pet-sold'], 'There is no event type "pet-sold"'],
    ])('refuses %j and writes nothing', async (words, refusal) => {
      expectRefused(await tree.generate(...words), refusal);
      expect(await tree.contents()).toEqual(before);
    });

    it('writes a module into its folder, the lists of modules and commands, the client and the documents', async () => {
      const changed = await generated('module', 'adoption-events');
      expect([...changed.keys()].filter((path) => !path.startsWith('src/adoption-events/')).sort()).toEqual([
        ...['docs/command-line.md', 'docs/events.md', 'docs/openapi.json', 'docs/projections.json'],
        ...['adoption-events', 'client', 'document', 'index'].map((name) => `packages/client/src/${name}.ts`),
        ...['schema.graphql', 'src/commands.ts', 'src/modules.ts'],
      ]);
      expectRefused(await tree.generate('module', 'adoption-events'), '"adoption-events" is taken by the folder src/adoption-events');
    });

    it.each([
      ['command', 'groom-pet', /const commandHandlers = \[[^\]]*,\s+GroomPetHandler,?\s*\];/, 'src/pets/pets.module.ts'],
      ['query', 'find-groomers', /const queryHandlers = \[[^\]]*,\s+FindGroomersHandler,?\s*\];/, 'src/pets/pets.module.ts'],
      ['event', 'pet-groomed', /^ {2}\.\.\.petGroomed,\n\} as const satisfies EventDefinitions;$/m, 'src/pets/domain/pet.events.ts'],
    ])('writes a %s and registers it', async (kind, name, registered, path) => {
      expect((await generated(kind, name, '--module', 'pets')).get(path)).toMatch(registered);
    });

    it("writes a follower of another module's event, typed as that module types it", async () => {
      const other = await generated('follower', 'thank-adopters', '--module', 'pets', '--event', 'webhook-registered');
      const follower = other.get('src/pets/followers/thank-adopters.follower.ts');
      expect(follower).toContain("import type { WebhookEvent } from '../../webhooks/index.js';");
      expect(other.get('src/webhooks/index.ts')).toContain("export type { WebhookEvent } from './domain/webhook.events.js';");
    });
  });

  describe('when it cannot finish', () => {
    beforeEach(async () => (tree = await copyTree()));

    it.each([
      ['a file cannot be written', 'schema.graphql cannot be written, so nothing was: '],
      ['the service cannot start', 'It does not start.'],
    ])('leaves nothing if %s', async (_name, refusal) => {
      if (refusal.startsWith('schema.graphql')) {
        await rm(join(tree.root, 'schema.graphql'));
        await symlink('/proc/version', join(tree.root, 'schema.graphql'));
      } else {
        await appendFile(join(tree.root, 'src/bootstrap/composition.ts'), `\nthrow new Error('${refusal}');\n`);
      }
      before = await tree.contents();
      expectRefused(await tree.generate('module', 'shelters'), refusal);
      expect(await tree.contents()).toEqual(before);
    });
  });
});
