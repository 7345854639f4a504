import { createClient, etagOf, type Client } from '../../packages/client/src/index.js';
import { answer, startScriptedServer, type ScriptedServer } from './scripted-server.fixture.js';

const REX = { id: 17, name: 'Rex', categoryId: 7 };
type Options = object;

/** Calls with options, as a program without types makes them. */
const calls: readonly (readonly [name: string, option: string, call: (client: Client<bigint>, options: Options) => Promise<unknown>])[] = [
  ['pets.get', 'ifMatch', (client, options) => client.pets.get(17n, options)],
  ['pets.get', 'ifNoneMatch', (client, options) => client.pets.get(17n, options)],
  ['pets.update', 'ifMatch', (client, options) => client.pets.update(17n, { name: 'Max' }, options)],
  ['pets.withdraw', 'ifMatch', (client, options) => client.pets.withdraw(17n, 'sold', options)],
  ['pets.add', 'idempotencyKey', (client, options) => client.pets.add({ name: 'Rex', categoryId: 7n }, options)],
  ['orders.place', 'idempotencyKey', (client, options) => client.orders.place({ petId: 17n }, options)],
  ['orders.get', 'ifNoneMatch', (client, options) => client.orders.get(17n, options)],
  ['orders.approve', 'ifMatch', (client, options) => client.orders.approve(17n, options)],
  ['orders.deliver', 'ifMatch', (client, options) => client.orders.deliver(17n, options)],
  ['orders.cancel', 'ifMatch', (client, options) => client.orders.cancel(17n, options)],
  ['orders.inventory', 'ifNoneMatch', (client, options) => client.orders.inventory(options)],
  ['webhooks.add', 'idempotencyKey', (client, options) => client.webhooks.add({ url: 'https://shop.example' }, options)],
  ['webhooks.get', 'ifNoneMatch', (client, options) => client.webhooks.get(17n, options)],
  ['webhooks.update', 'ifMatch', (client, options) => client.webhooks.update(17n, { enabled: false }, options)],
  ['webhooks.delete', 'ifMatch', (client, options) => client.webhooks.delete(17n, options)],
  ['keys.issue', 'idempotencyKey', (client, options) => client.keys.issue({ name: 'Website' }, options)],
  ['keys.get', 'ifNoneMatch', (client, options) => client.keys.get(17n, options)],
  ['keys.update', 'ifMatch', (client, options) => client.keys.update(17n, { name: 'Shop' }, options)],
  ['keys.revoke', 'ifMatch', (client, options) => client.keys.revoke(17n, options)],
  ['keys.usage', 'ifNoneMatch', (client, options) => client.keys.usage(17n, options)],
];

describe('a condition of a call', () => {
  let server: ScriptedServer;
  let client: Client<bigint>;
  beforeEach(async () => {
    server = await startScriptedServer(answer(200, REX, { etag: '"one"' }));
    client = createClient({ baseUrl: server.origin, key: 'adopt_dev_key' });
  });

  it.each(calls)('of %s is refused where %s is there without a value, and nothing is sent', async (_, option, call) => {
    for (const value of [undefined, null, '', 7]) {
      const refused = call(client, { [option]: value });
      await expect(refused).rejects.toThrow(TypeError);
      await expect(refused).rejects.toThrow(option);
    }
    expect(server.received).toEqual([]);
  });

  it.each(calls)('of %s is sent where %s is a text', async (_, option, call) => {
    await call(client, { [option]: '"one"' });
    const header = { ifMatch: 'if-match', ifNoneMatch: 'if-none-match', idempotencyKey: 'idempotency-key' }[option] ?? '';
    expect(server.received.map(({ headers }) => headers[header])).toEqual(['"one"']);
  });

  it('says where an entity tag is to be had, since items of a list have none', async () => {
    const listing = await startScriptedServer(answer(200, [REX], { etag: '"of the page"' }));
    const [rex] = await createClient({ baseUrl: listing.origin, key: 'adopt_dev_key' }).pets.list().toArray({ max: 1 });
    const ifMatch = etagOf(rex ?? {});
    expect(ifMatch).toBeUndefined();
    // @ts-expect-error an entity tag that may be missing
    await expect(client.pets.update(17n, { name: 'Max' }, { ifMatch })).rejects.toThrow(
      /etagOf has none for items of a list.*by its id first/,
    );
    const seen = await client.pets.get(17n);
    await client.pets.update(17n, { name: 'Max' }, { ifMatch: etagOf(seen) });
    expect(server.received.at(-1)?.headers['if-match']).toBe('"one"');
  });
});
