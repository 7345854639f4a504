import { stripVTControlCharacters } from 'node:util';
import { EventStore } from '#libs/event-sourcing';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { startService, UNLIMITED, type Service } from '../../../test/e2e/service.fixture.js';
import { systemActor } from '../../bootstrap/command-line/actor.js';

interface PrintedKey {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly string[];
}

describe('the commands on keys', () => {
  let service: Service;
  beforeEach(async () => (service = await startService()));
  afterEach(() => service.close());

  const keys = (...words: string[]) => runHere(service.backend, ['keys', ...words]);
  const printed = async <Value>(...words: string[]) => {
    const { code, stdout, stderr } = await keys(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    return JSON.parse(stdout) as Value;
  };
  const names = async (...words: string[]) => (await printed<PrintedKey[]>('list', ...words)).map(({ name }) => name);
  const onTerminal = (columns: number, ...words: string[]) => runHere(service.backend, ['keys', ...words], { isTTY: true, columns });
  const actorsOf = async (id: number) =>
    (await service.app.get(EventStore).readStream(`api-key-${id}`)).map(({ type, metadata }) => [type, metadata.actor]);

  it('record the user and the host of the system as the actor, or who is named', async () => {
    const { id } = await printed<PrintedKey>('create', '--name', 'Website', '--owner', 'Happy Paws');
    await printed('set-plan', `${id}`, 'pro', '--as', 'Alice');
    expect(await actorsOf(id)).toEqual([
      ['api-key-issued', systemActor()],
      ['api-key-plan-changed', 'Alice'],
    ]);
    expect(systemActor()).toMatch(/^\S+@\S+$/);
  });

  it.each(['', ' ', 'system', 'cli', 'api-key-7', 'x'.repeat(101), 'a\nb'])('let nobody act as %j', async (name) => {
    const { code, stderr } = await keys('create', '--name', 'Website', '--as', name);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--as must be a name of 1 to 100 characters')]);
    expect(await names()).toEqual(['test']);
  });

  it('list keys by name, owner, plan, state and use', async () => {
    await printed('create', '--name', 'Website', '--owner', 'Happy Paws', '--plan', 'pro');
    const { id } = await printed<PrintedKey>('create', '--name', 'Old web shop');
    await printed('revoke', `${id}`);
    const busy = await service.issueKey({ ...UNLIMITED, name: 'Busy', perDay: 4 });
    for (let count = 0; count < 4; count += 1) await service.client.get('/v1/pets', { key: busy.token });
    expect(await names('--name', 'WEB')).toEqual(['Website', 'Old web shop']);
    expect(await names('--owner', 'Happy Paws')).toEqual(['Website']);
    expect(await names('--plan', 'pro')).toEqual(['Website']);
    expect(await names('--status', 'revoked')).toEqual(['Old web shop']);
    // The command line reads what the service saves each second, by the clock of the machine.
    expect(await names('--above', '0', '--name', 'Website')).toEqual([]);
  });

  it('change what is known of a key, and say so if it is so already', async () => {
    const { id } = await printed<PrintedKey>('create', '--name', 'Website', '--owner', 'Happy Paws', '--expires-in', '30d');
    expect(await printed('update', `${id}`, '--name', 'Shop', '--owner', 'Cats', '--no-expiry')).toMatchObject({
      ...{ name: 'Shop', owner: 'Cats', expiresAt: null },
    });
    expect(await printed('update', `${id}`, '--no-owner')).not.toHaveProperty('owner');
    const { stderr } = await keys('update', `${id}`, '--name', 'Shop');
    expect(stderr).toBe(`Nothing was changed: API key ${id} is so already.\n`);
  });

  it('ban a key with a reason', async () => {
    const { id } = await printed<PrintedKey>('create', '--name', 'Website');
    expect(await printed('ban', `${id}`, '--for', '1h', '--reason', 'Too much.')).toMatchObject({ lastBan: { reason: 'Too much.' } });
    const { stderr } = await keys('ban', `${id}`, '--for', '1m', '--reason', 'Less.');
    expect(stderr).toBe(`Nothing was changed: API key ${id} is banned for as long already.\n`);
    expect(await names('--status', 'banned')).toEqual(['Website']);
    expect(await printed('unban', `${id}`)).not.toHaveProperty('lastBan');
  });

  it('add a scope to all keys that have another one, or only say which', async () => {
    const withPets = await service.issueKey({ name: 'pets', scopes: ['pets'] });
    await service.issueKey({ name: 'events', scopes: ['events'] });
    const revoked = await service.issueKey({ name: 'revoked', scopes: ['pets'] });
    await service.issueKey({ name: 'has it', scopes: ['pets', 'orders'] });
    await printed('revoke', `${revoked.id}`);
    const dryRun = await keys('add-scope', 'orders', '--all-with', 'pets', '--dry-run');
    expect((JSON.parse(dryRun.stdout) as PrintedKey[]).map(({ name }) => name)).toEqual(['test', 'pets']);
    expect(dryRun.stderr).toBe('2 of the keys with pets lack orders; nothing was changed.\n');
    expect(await actorsOf(Number(withPets.id))).toHaveLength(1);
    const changed = await keys('add-scope', 'orders', '--all-with', 'pets');
    expect((JSON.parse(changed.stdout) as PrintedKey[]).map(({ scopes }) => scopes)).toEqual([
      ['pets', 'orders'],
      ['pets', 'orders'],
    ]);
    expect((await keys('add-scope', 'orders', '--all-with', 'pets')).stderr).toBe('0 of the keys with pets got orders.\n');
  });

  it.each<[string[], string]>([
    [['add-scope', 'orders', '--dry-run'], "missing required argument 'scope'"],
    [['add-scope', '1', 'orders', '--dry-run'], 'add-scope takes ID SCOPE, or SCOPE --all-with SCOPE [--dry-run].'],
    [['add-scope', '1', 'orders', '--all-with', 'pets'], 'add-scope takes ID SCOPE'],
    [['add-scope', 'order', '--all-with', 'pets'], "'order' is invalid for argument 'scope'. Allowed choices are pets"],
    [['list', '--above', '100'], '--above must be a whole number from 0 to 99'],
    [['list', '--plan', 'gold'], 'Allowed choices are free'],
    [['usage', '1', '--days', '401'], '--days must be a whole number from 1 to 400'],
    [['ban', '1', '--reason', 'x'], "required option '--for <duration>' not specified"],
  ])('answer the mistake %j with exit code 2', async (words, message) => {
    expect(await keys(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('list keys in 80 columns with whole words: the least important columns go first', async () => {
    await printed('create', '--name', 'The website of Happy Paws and all of its many friends', '--owner', 'Happy Paws');
    const { stdout } = await onTerminal(80, 'list');
    const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[0]?.split(/ {2,}/)).toEqual(expect.arrayContaining(['id', 'name', 'day', 'state']));
    expect(lines[0]).not.toContain('key');
    expect(lines.at(-1)).toMatch(/^ *2 +The website( [a-zA-Z]+)*…? /);
    const wide = await onTerminal(300, 'list');
    const headings = ['id', 'name', 'owner', 'key', 'plan', 'scopes', 'minute', 'day', 'last use', 'expires', 'state'];
    expect(stripVTControlCharacters(wide.stdout).split('\n')[0]?.trim().split(/ {2,}/)).toEqual(headings);
  });

  it('print the days of a key', async () => {
    const days = await printed<readonly object[]>('usage', '1', '--days', '2');
    expect(days).toEqual([
      { date: expect.any(String), requests: 0, refusals: 0 },
      { date: expect.any(String), requests: 0, refusals: 0 },
    ]);
  });
});
