import { stripVTControlCharacters } from 'node:util';
import { CommandBus } from '@nestjs/cqrs';
import { EventStore } from '#libs/event-sourcing';
import { expectEventually, SettableClock } from '#libs/testing';
import { systemActor } from '../../src/bootstrap/command-line/application-cli-context.js';
import { createDocumentedProgram } from '../../src/bootstrap/command-line/run-command-line.js';
import { VERSION } from '../../src/config/index.js';
import { PlaceOrder } from '../../src/orders/commands/place-order.command.js';
import { linesOf, runHere } from './command-line.fixture.js';
import { UNLIMITED } from './service.fixture.js';
import { startStore, type Store } from './store.fixture.js';
import { startReceiver } from './webhook-receiver.fixture.js';

const TO_THIS_MACHINE = { WEBHOOK_ALLOW_LOOPBACK: 'true' };
/** More than a page of what the command line reads at once. */
const MANY = 1_001;

/** A command, what it prints as JSON, and what it says beside that. */
type Row = readonly [words: string, printed: object, said?: string];

describe('the command line beside a running service', () => {
  let store: Store;
  beforeAll(async () => {
    store = await startStore({ clock: new SettableClock(new Date()), environment: TO_THIS_MACHINE });
  });
  afterAll(() => store.close());

  const split = (words: string) => words.split(' ').filter((word) => word !== '');
  const run = (words: string) => runHere({ ...store.backend, ...TO_THIS_MACHINE }, split(words));
  const printed = async <Value>(words: string, said = ''): Promise<Value> => {
    const { code, stdout, stderr } = await run(words);
    expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: said && `${said}\n` });
    return JSON.parse(stdout) as Value;
  };
  const expectRows = async (rows: readonly Row[]) => {
    for (const [words, expected, said] of rows) expect([words, await printed(words, said)]).toMatchObject([words, expected]);
  };
  const recorded = async (stream: string) =>
    (await store.app.get(EventStore).readAll({ streams: [stream] })).map(({ type, metadata }) => [type, metadata.actor]);
  const rest = (path: string) => store.client.get(`/v1/${path}`, { key: store.staff });

  it('makes and changes keys, as whoever acts', async () => {
    const { id, key } = await printed<{ id: number; key: string }>('keys create --name Website --owner Paws --expires-in 30d');
    expect((await store.client.get('/v1/pets', { key })).status).toBe(200);
    await expectRows([
      [`keys update ${id} --name Shop --owner Cats --no-expiry --as Alice`, { name: 'Shop', owner: 'Cats', expiresAt: null }],
      [`keys update ${id} --name Shop`, {}, `Nothing was changed: API key ${id} is so already.`],
      [`keys set-plan ${id} pro`, { plan: 'pro' }],
      [`keys add-scope ${id} orders`, { scopes: ['pets', 'orders'] }],
      [`keys remove-scope ${id} pets`, { scopes: ['orders'] }],
      [`keys ban ${id} --for 1h --reason Enough`, { lastBan: { reason: 'Enough' } }],
      [`keys ban ${id} --for 1m --reason Less`, {}, `Nothing was changed: API key ${id} is banned for as long already.`],
      ['keys list --status banned --name SHO --owner Cats --plan pro', [{ id }]],
      ['keys list --status active --name SHO', []],
      [`keys unban ${id}`, { id }],
      [`keys usage ${id} --days 2`, [{ requests: 0 }, { refusals: 0 }]],
      [`keys revoke ${id}`, { id, revokedAt: expect.any(String) }],
      ['keys list --status revoked', [{ id }]],
    ]);
    expect((await recorded(`api-key-${id}`)).slice(0, 3)).toEqual([
      ['api-key-issued', systemActor()],
      [expect.any(String), 'Alice'],
      ['api-key-plan-changed', systemActor()],
    ]);
    expect(systemActor()).toMatch(/^\S+@\S+$/);
    for (const words of ['events list --limit 1000', 'keys list', `keys show ${id}`]) {
      const { stdout } = await run(words);
      expect(stdout).not.toMatch(/adopt_|[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}/);
      expect(stdout).not.toContain(key);
    }
  });

  it('warns before it ends the last key that manages keys, and says when a previous token ends', async () => {
    const { id } = await printed<{ id: number }>('keys create --name Boss --scopes keys:manage,pets');
    const last = `API key ${id} is the last one that can manage keys (scope keys:manage). Without it, only the command line can.`;
    await expectRows([
      [`keys rotate ${id}`, { id }, 'The previous token has ended.'],
      [`keys update ${id} --expires-in 90d`, { id }, last],
      [`keys ban ${id} --for 1s --reason Test`, { id }, last],
      [`keys remove-scope ${id} pets`, { id }],
      [`keys add-scope ${id} pets`, { id }],
      [`keys remove-scope ${id} keys:manage`, { id }, last],
      [`keys update ${id} --expires-in 30d`, { id }],
      [`keys add-scope ${id} keys:manage`, { id }],
      [`keys revoke ${id}`, { id }, last],
    ]);
  });

  it('gives a scope to all keys that have another one, or only says which', async () => {
    const withEvents = await store.issueKey({ name: 'some', scopes: ['events'] });
    const revoked = await store.issueKey({ name: 'revoked', scopes: ['events'] });
    await printed(`keys revoke ${revoked.id}`);
    const words = 'keys add-scope graphql --all-with events';
    await expectRows([
      [`${words} --dry-run`, [{ name: 'some', scopes: ['events'] }], '1 of the keys with events lack graphql; nothing was changed.'],
      [`keys show ${withEvents.id}`, { scopes: ['events'] }],
      [words, [{ name: 'some', scopes: ['events', 'graphql'] }], '1 of the keys with events got graphql.'],
      [words, [], '0 of the keys with events got graphql.'],
    ]);
  });

  it('shows and moves orders as REST does, once, and never against a rule', async () => {
    const [one = 0, other = 0, third = 0] = await store.addSeveral(3);
    const [first, second, free] = [await store.place(one, { note: '"12 h"' }), await store.place(other), await store.place(third)];
    const text = async (id: number) => `${(await rest(`store/orders/${id}`)).text}\n`;
    expect((await run('orders list')).stdout).toBe(`${(await rest('store/orders')).text}\n`);
    const already = (id: number, status: string) => `Nothing was changed: the order ${id} is ${status} already.`;
    await expectRows([
      [`orders approve ${first.id}`, { status: 'approved', version: 2 }],
      [`orders approve ${first.id}`, { version: 2 }, already(first.id, 'approved')],
      [`orders deliver ${first.id}`, { status: 'delivered', version: 3 }],
      [`orders cancel ${second.id} --reason elsewhere`, { status: 'cancelled', version: 2 }],
      ['orders list --status cancelled', [{ id: second.id }]],
      ['orders list --expiring-within 23h', []],
      ['orders list --expiring-within 25h', [{ id: free.id }]],
      [`orders list --pet ${third} --status placed`, [{ id: free.id }]],
      [`pets set-status ${third} pending`, { changed: false }, 'Nothing was changed: the animal has these values already.'],
      [`pets correct ${third} --name Mia --category-id -5`, { name: 'Mia', categoryId: -5 }],
      [`pets withdraw ${third} --reason ill`, { id: third, changed: true, cancelledOrder: free.id }],
    ]);
    expect((await run(`orders show ${first.id}`)).stdout).toBe(await text(first.id));
    expect([await store.statusOf(one), await store.statusOf(other)]).toEqual(['sold', 'available']);
    const [event] = linesOf((await run(`events list --stream order-${second.id} --after 1`)).stdout).slice(-1);
    expect(JSON.parse(event ?? '')).toMatchObject({ data: { reason: 'elsewhere' }, metadata: { actor: systemActor() } });
  });

  it('keeps webhook endpoints for a key, and has the service send to them', async () => {
    const receiver = await startReceiver();
    const { id: owner, token } = await store.issueKey({ ...UNLIMITED, name: 'owner', scopes: ['webhooks', 'events'] });
    const create = `webhooks create --key ${owner} --url ${receiver.url}`;
    const { secret, registeredBy, ...endpoint } = await printed<{ id: number; secret: string; registeredBy: number }>(
      `${create} --types pet.added,order.placed --description calendar`,
    );
    const { id } = endpoint;
    expect((await store.client.get(`/v1/webhooks/${id}`, { key: token })).json()).toEqual(endpoint);
    expect([registeredBy, secret]).toEqual([Number(owner), expect.stringMatching(/^whsec_/)]);
    const already = (state: string) => `Nothing was changed: the endpoint ${id} is ${state} already.`;
    await expectRows([
      [`webhooks list --key ${owner}`, [{ id }]],
      [`webhooks disable ${id}`, { enabled: false, disabledReason: 'owner' }],
      [`webhooks disable ${id}`, { enabled: false }, already('disabled')],
    ]);
    await expectRows([
      [`webhooks enable ${id}`, { enabled: true }],
      [`webhooks test ${id}`, { id: expect.any(Number) }],
    ]);
    // The command goes by the machine's clock.
    store.clock.set(new Date());
    await receiver.received(1);
    expect(receiver.told()).toEqual([`webhook.test webhooks/${id}`]);
    const petId = await store.addAvailable();
    await receiver.received(2);
    // A message is received before its delivery is recorded, and a replay begins behind what is recorded.
    const sentTo = async () => (await store.client.get(`/v1/webhooks/${id}/deliveries`, { key: token })).json<unknown[]>().length;
    await expectEventually(sentTo, 2);
    const [{ id: sent = '' } = {}] = receiver.messages.slice(1).map(({ body }) => JSON.parse(body) as { id?: string });
    await expectRows([[`webhooks replay ${id} --after ${BigInt(sent) - 1n}`, { events: 1 }]]);
    const [, before, after] = await receiver.received(3);
    expect(receiver.told()[2]).toBe(`pet.added pets/${petId}`);
    expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
    await expectEventually(sentTo, 3);
    const deliveries = await printed<{ id: number }[]>(`webhooks deliveries ${id} --limit 2`);
    expect(deliveries).toEqual((await store.client.get(`/v1/webhooks/${id}/deliveries?limit=2`, { key: token })).json());

    const rotated = await run(`webhooks rotate-secret ${id}`);
    expect(JSON.parse(rotated.stdout)).not.toMatchObject({ secret });
    expect(rotated.stderr).toMatch(/^The previous secret signs too until \d{4}-[-\d:.T]+Z\.\n$/);
    await expectRows([[`webhooks delete ${id}`, { id, url: receiver.url }]]);
    await receiver.close();
  });

  it.each<[code: 1 | 2, words: string, reason: string]>([
    [2, 'keys crate', 'Did you mean create?'],
    [2, 'pets add', "unknown command 'add'; see --help."],
    [2, 'keys create --name website --plan pro --per-minute 5', '--per-minute and --per-day go together'],
    [2, 'keys create --name website --per-minute 0 --per-day 5', '--per-minute must be a whole number from 1 to 1000000000, not "0".'],
    [1, 'keys create --name website --plan enterprise', 'limits (--per-minute and --per-day) are both required'],
    [1, 'keys create --name ', '--name must be a string of 1 to 255'],
    [2, 'keys create --nmae website', "required option '--name <name>' not specified; see --help."],
    [2, 'keys list --above 100', '--above must be a whole number from 0 to 99'],
    [2, 'keys show abc', 'ID must be an API key'],
    [2, 'keys rotate 1 --grace 5w', 'such as 30s, 15m, 24h or 90d (at most 36500d), not "5w".'],
    [2, 'keys add-scope 1 orders --all-with pets', 'add-scope takes ID SCOPE, or SCOPE --all-with SCOPE [--dry-run].'],
    ...['system', 'api-key-7', 'a\nb'].map((name): [2, string, string] => [
      2,
      `keys create --name Website --as ${name}`,
      '--as must be a name of 1 to 100 characters',
    ]),
    [2, 'pets import - --batch ', '--batch must name the import in 1 to'],
    [2, 'webhooks create --key 1 --url https://1.1.1.1 --types pet.added,lost', 'Each of --types must be one of'],
    [1, 'keys show 99', 'There is no API key 99'],
    [1, 'pets import none.ndjson', 'none.ndjson cannot be read: it does not exist'],
    [1, 'projections rebuild dogs', 'There is no projection dogs'],
    [1, 'webhooks create --key 1 --url https://1.1.1.1', '--key must be an API key with the scopes webhooks and events'],
  ])('ends with %d and one line on standard error, and changes nothing: %s', async (code, words, reason) => {
    const last = await store.app.get(EventStore).lastPosition();
    const { stderr, ...outcome } = await runHere(store.backend, words.split(' '));
    expect(outcome).toEqual({ code, stdout: '' });
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(reason);
    expect(await store.app.get(EventStore).lastPosition()).toBe(last);
  });

  it('gives help on standard output at every level, and its version', async () => {
    const names = (await createDocumentedProgram()).commands.flatMap((group) => [
      group.name(),
      ...group.commands.map((command) => `${group.name()} ${command.name()}`),
    ]);
    expect(names.length).toBeGreaterThan(40);
    for (const name of ['', ...names]) {
      const { code, stdout, stderr } = await run(`${name} --help`);
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
      expect(stdout).toContain(`Usage: adoption${name && ` ${name}`} [options]`);
    }
    expect(await run('--version')).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  it('shows on a terminal what people read, as fields if it is narrow, and a new secret once', async () => {
    const shown = async (columns: number, ...words: string[]) => {
      const { code, stdout } = await runHere(store.backend, words, { isTTY: true, columns });
      expect({ words, code }).toEqual({ words, code: 0 });
      return linesOf(stripVTControlCharacters(stdout));
    };
    const created = await shown(100, 'keys', 'create', '--name', `Dr. \u202eevil\u001b[2K ${'long '.repeat(20)}`);
    expect(created.at(-1)).toMatch(/^key, shown this once: adopt_\w{40,}$/);
    const list = await shown(80, 'keys', 'list');
    expect(list.join('\n')).toMatch(/^name: +Dr\. /m);
    expect((await shown(400, 'keys', 'list')).at(-1)).toMatch(/Dr\. \\u202eevil\\u001b\[2K/);
    expect(list.join('\n')).not.toMatch(/adopt_\w{40,}/);
    expect(JSON.parse((await shown(100, 'keys', 'list', '--json')).join(''))).toBeInstanceOf(Array);
  });

  it('lists all, however many pages that takes', async () => {
    const [before, first] = [await printed<object[]>('orders list'), await store.addAvailable()];
    const data = { name: 'one of many', categoryId: '1', status: 'available' };
    const appends = Array.from({ length: MANY }, () => ({
      stream: { newIn: 'pet' },
      events: [{ type: 'pet-added', data }],
    }));
    const metadata = { actor: 'test' };
    await store.app.get(EventStore).append(appends, { metadata });
    const place = (petId: number) => store.app.get(CommandBus).execute(new PlaceOrder({ petId: BigInt(petId) }, 1n, metadata));
    await Promise.all(appends.map((_, index) => place(first + index + 1)));
    const ids = (await printed<{ id: number }[]>('orders list')).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: before.length + MANY }, (_, index) => index + 1));
  });
});
