import { createClient, etagOf, type Client } from '../../packages/client/src/index.js';
import { answer, startScriptedServer, type ScriptedServer } from './scripted-server.fixture.js';

const REX = { id: 17, name: 'Rex', categoryId: 7 };
const HEADERS = { ifMatch: 'if-match', ifNoneMatch: 'if-none-match', idempotencyKey: 'idempotency-key' } as const;
type Options = object;

/** Calls with options, as a program without types makes them. */
const calls: readonly (readonly [option: keyof typeof HEADERS, call: (client: Client<bigint>, options: Options) => Promise<unknown>])[] = [
  ['ifMatch', (client, options) => client.pets.get(17n, options)],
  ['ifNoneMatch', (client, options) => client.pets.get(17n, options)],
  ['ifMatch', (client, options) => client.pets.update(17n, { name: 'Max' }, options)],
  ['ifMatch', (client, options) => client.pets.withdraw(17n, 'sold', options)],
  ['idempotencyKey', (client, options) => client.pets.add({ name: 'Rex', categoryId: 7n }, options)],
  ['idempotencyKey', (client, options) => client.orders.place({ petId: 17n }, options)],
  ['ifNoneMatch', (client, options) => client.orders.get(17n, options)],
  ['ifMatch', (client, options) => client.orders.approve(17n, options)],
  ['ifMatch', (client, options) => client.orders.deliver(17n, options)],
  ['ifMatch', (client, options) => client.orders.cancel(17n, options)],
  ['ifNoneMatch', (client, options) => client.orders.inventory(options)],
  ['idempotencyKey', (client, options) => client.webhooks.add({ url: 'https://shop.example' }, options)],
  ['ifNoneMatch', (client, options) => client.webhooks.get(17n, options)],
  ['ifMatch', (client, options) => client.webhooks.update(17n, { enabled: false }, options)],
  ['ifMatch', (client, options) => client.webhooks.delete(17n, options)],
  ['idempotencyKey', (client, options) => client.keys.issue({ name: 'Website' }, options)],
  ['ifNoneMatch', (client, options) => client.keys.get(17n, options)],
  ['ifMatch', (client, options) => client.keys.update(17n, { name: 'Shop' }, options)],
  ['ifMatch', (client, options) => client.keys.revoke(17n, options)],
  ['ifNoneMatch', (client, options) => client.keys.usage(17n, options)],
];

describe('a condition of a call of the client', () => {
  let server: ScriptedServer;
  let client: Client<bigint>;
  beforeEach(async () => {
    server = await startScriptedServer(answer(200, [REX], { etag: '"one"' }));
    client = createClient({ baseUrl: server.origin, key: 'adopt_dev_key' });
  });

  it.each(calls)('is sent where %s is a text, and refused where it is there without a value: %s', async (option, call) => {
    for (const value of [undefined, null, '', 7]) {
      const refused = call(client, { [option]: value });
      await expect(refused).rejects.toThrow(TypeError);
      await expect(refused).rejects.toThrow(option);
    }
    expect(server.received).toEqual([]);
    await call(client, { [option]: '"one"' });
    expect(server.received.map(({ headers }) => headers[HEADERS[option]])).toEqual(['"one"']);
  });

  it('takes the entity tag of an animal from a list of it only, which may be empty', async () => {
    const listing = await startScriptedServer(answer(200, [REX], { etag: '"one"' }), answer(200, []));
    const { pets } = createClient({ baseUrl: listing.origin, key: 'adopt_dev_key' });
    expect(etagOf(await pets.get(17n))).toBe('"one"');
    await expect(pets.get(17n)).rejects.toMatchObject({ status: 404, code: 'not_found' });
    expect(listing.received.map(({ url }) => url)).toEqual(['/v1/pets?ids=17', '/v1/pets?ids=17']);
  });

  it('says where an entity tag is to be had, since items of a list have none', async () => {
    const listing = await startScriptedServer(answer(200, [REX], { etag: '"of the page"' }), answer(304));
    const lister = createClient({ baseUrl: listing.origin, key: 'adopt_dev_key' });
    const [rex] = await lister.pets.list().toArray({ max: 1 });
    const ifMatch = etagOf(rex ?? {});
    expect(ifMatch).toBeUndefined();
    // @ts-expect-error an entity tag that may be missing
    const refused = client.pets.update(17n, { name: 'Max' }, { ifMatch });
    await expect(refused).rejects.toThrow(/Items of a list.*no entity tag.*by its id first/);
    const seen = await client.pets.get(17n);
    await client.pets.update(17n, { name: 'Max' }, { ifMatch: etagOf(seen) });
    expect(server.received.at(-1)?.headers['if-match']).toBe('"one"');
    expect(await lister.pets.get(17n, { ifNoneMatch: etagOf(seen) })).toBeUndefined();
  });
});
