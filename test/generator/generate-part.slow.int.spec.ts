import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyTree, type TreeCopy } from './tree-copy.fixture.js';

describe('generating a part of a module', () => {
  let tree: TreeCopy;
  let before: ReadonlyMap<string, string>;
  beforeAll(async () => {
    tree = await copyTree();
    before = await tree.contents();
  });
  afterAll(() => tree.remove());

  const generated = async (...words: string[]) => {
    const { code, stdout, stderr } = await tree.generate(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const text = (path: string) => readFile(join(tree.root, path), 'utf8');

  it('writes nothing in a dry run', async () => {
    const stdout = await generated('command', 'groom-pet', '--module', 'pets', '--dry-run');
    expect(stdout).toBe('src/pets/commands/groom-pet.command.ts\nsrc/pets/pets.module.ts\n');
    expect(await tree.contents()).toEqual(before);
  });

  it('writes a command and registers its handler', async () => {
    await generated('command', 'groom-pet', '--module', 'pets');
    expect(await text('src/pets/commands/groom-pet.command.ts')).toContain(
      'export class GroomPet extends InputCommand<{ readonly id: bigint }, void>',
    );
    expect(await text('src/pets/pets.module.ts')).toMatch(/const commandHandlers = \[[^\]]*,\s+GroomPetHandler,?\s*\];/);
    expect(await text('src/pets/pets.module.ts')).toContain("import { GroomPetHandler } from './commands/groom-pet.command.js';");
  });

  it('writes a query and registers its handler', async () => {
    expect(await generated('query', 'find-groomers', '--module', 'pets')).toBe(
      'src/pets/queries/find-groomers.query.ts\nsrc/pets/pets.module.ts\n',
    );
    expect(await text('src/pets/pets.module.ts')).toMatch(/const queryHandlers = \[[^\]]*,\s+FindGroomersHandler,?\s*\];/);
  });

  it('writes an event and registers it, and the page of events with it', async () => {
    expect(await generated('event', 'pet-groomed', '--module', 'pets')).toBe(
      'src/pets/domain/pet-groomed.event.ts\nsrc/pets/domain/pet.events.ts\ndocs/events.md\ndocs/projections.json\n',
    );
    expect(await text('src/pets/domain/pet.events.ts')).toMatch(/^ {2}\.\.\.petGroomed,\n\} as const satisfies EventDefinitions;$/m);
    expect(await text('docs/events.md')).toContain('### `pet-groomed`');
  });

  it('writes a follower of an event, typed as its module types it, and a list of followers where there is none', async () => {
    const words = ['follower', 'thank-adopters', '--module', 'pets', '--event', 'webhook-registered'];
    expect(await generated(...words)).toBe(
      'src/pets/followers/thank-adopters.follower.ts\nsrc/pets/pets.module.ts\nsrc/webhooks/index.ts\ndocs/events.md\n',
    );
    const follower = await text('src/pets/followers/thank-adopters.follower.ts');
    expect(follower).toContain("import type { WebhookEvent } from '../../webhooks/index.js';");
    expect(follower).toContain("type Followed = Extract<WebhookEvent, { type: 'webhook-registered' }>;");
    expect(await text('src/webhooks/index.ts')).toContain("export type { WebhookEvent } from './domain/webhook.events.js';");
    expect(await text('docs/events.md')).toContain('`src/pets/followers/thank-adopters.follower.ts`');
    await generated('follower', 'praise-adopters', '--module', 'pets', '--event', 'pet-status-set');
    const own = await text('src/pets/followers/praise-adopters.follower.ts');
    expect(own).toContain("import type { PetEvent } from '../domain/pet.events.js';");
    const registry = await text('src/pets/pets.module.ts');
    expect(registry).toContain('const followers = [ThankAdopters, PraiseAdopters];');
    expect(registry.match(/\.\.\.followers/g)).toHaveLength(1);
  });

  it.each([
    [['command', 'add-pet', '--module', 'pets'], '"add-pet" is taken by src/pets/commands/add-pet.command.ts'],
    [['command', 'grooming-pet', '--module', 'pets'], 'a command begins with an imperative'],
    [['command', 'groom-pet'], 'Say which module'],
    [['command', 'groom-pet', '--module', 'ponies'], 'There is no module src/ponies'],
    [['query', 'query', '--module', 'pets'], 'It would be called Query in code'],
    [['event', 'pet-groom', '--module', 'pets'], 'an event ends in the past tense'],
    [['event', 'pet-added', '--module', 'pets'], '"pet-added" is taken by src/pets/domain/pet.events.ts'],
    [['event', 'api-key-issued', '--module', 'pets'], '"api-key-issued" is taken by src/auth/domain/api-key.events.ts'],
    [['follower', 'greet-adopters', '--module', 'pets'], 'Say which event the follower is called with'],
    [['follower', 'greet-adopters', '--module', 'pets', '--event', 'pet-sold'], 'There is no event type "pet-sold"'],
    [['follower', 'greet-adopters', '--module', 'rate-limiting', '--event', 'pet-added'], 'src/rate-limiting has no list of its followers'],
    [['event', 'limit-reached', '--module', 'rate-limiting'], 'src/rate-limiting has no list of its events'],
  ])('refuses %j', async (words, refusal) => {
    const unchanged = await tree.contents();
    const { code, stdout, stderr } = await tree.generate(...words);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^.+\n$/) });
    expect(stderr).toContain(refusal);
    expect(await tree.contents()).toEqual(unchanged);
  });
});
