import { createClient, etagOf, type Client } from '../../packages/client/src/index.js';
import { answer, refuse, startScriptedServer, type ScriptedServer } from './scripted-server.fixture.js';
import { onRetry, useVirtualTime, withoutWaiting } from './virtual-time.fixture.js';

const KEY = 'adopt_dev_key';
const GREATEST = 9223372036854775807n;
const JSON_TYPE = { 'content-type': 'application/json' };

const clientOf = ({ origin }: ScriptedServer, path = ''): Client<bigint> => createClient({ baseUrl: origin + path, key: KEY, onRetry });

describe('a request of an operation that the client does not know', () => {
  useVirtualTime();

  it('is sent with its query, headers and body, in which each bigint is digits', async () => {
    const server = await startScriptedServer(answer(201, '{"id":9223372036854775807,"shelf":9007199254740993,"count":3}', JSON_TYPE));
    const shelters = [{ number: GREATEST, opened: new Date(0), name: '"7n"', nothing: undefined, none: null }];
    const { status, headers, body } = await clientOf(server).request('post', '/v1/shelters', {
      query: { dry: true, page: 2, after: GREATEST, nothing: undefined },
      headers: { 'X-Reason': 'moved', Authorization: 'Bearer other', Accept: 'application/vnd.shelters+json' },
      // A text stays a text, and what is called id need not be one.
      body: { shelters, id: 'north', available: true, lists: [[1n], undefined] },
    });
    expect(server.received[0]).toMatchObject({
      method: 'POST',
      url: `/v1/shelters?dry=true&page=2&after=${GREATEST}`,
      body:
        `{"shelters":[{"number":${GREATEST},"opened":"1970-01-01T00:00:00.000Z","name":"\\"7n\\"","none":null}],` +
        '"id":"north","available":true,"lists":[[1],null]}',
    });
    expect(server.received[0]?.headers).toMatchObject({
      'x-reason': 'moved',
      'content-type': 'application/json',
      accept: 'application/vnd.shelters+json',
      authorization: `Bearer ${KEY}`,
    });
    expect([status, headers.get('Content-Type')]).toEqual([201, 'application/json']);
    expect(body).toEqual({ id: GREATEST, shelf: 9007199254740993n, count: 3 });
  });

  const refused = refuse(503, 'service_unavailable');
  const busy = refuse(429, 'rate_limited');

  it('goes below the path of the base address', async () => {
    const server = await startScriptedServer(answer(200, []));
    await clientOf(server, '/shop/v1').request('GET', '/v1/shelters');
    await clientOf(server, '/shop').request('GET', '/schemas/pet.added/1');
    expect(server.received.map(({ url }) => url)).toEqual(['/shop/v1/shelters', '/shop/schemas/pet.added/1']);
  });

  it.each(['POST', 'PATCH'])('is tried again by %s after 429, or with an Idempotency-Key', async (method) => {
    const limited = await startScriptedServer(busy, answer(200));
    await withoutWaiting(clientOf(limited).request(method, '/v1/shelters'));
    const unsafe = await startScriptedServer(refused, answer(200));
    await expect(withoutWaiting(clientOf(unsafe).request(method, '/v1/shelters'))).rejects.toMatchObject({ status: 503 });
    const keyed = await startScriptedServer(refused, answer(200));
    await withoutWaiting(clientOf(keyed).request(method, '/v1/shelters', { headers: { 'idempotency-key': 'mine' } }));
    expect([limited, unsafe, keyed].map(({ received }) => received.length)).toEqual([2, 1, 2]);
  });

  it('is refused for what is no path, or a header without a value, before anything is sent', async () => {
    const server = await startScriptedServer(answer(200));
    for (const path of ['v1/pets', 'https://elsewhere.example/v1/pets', '/v1/pets?status=sold', '/v1/pets#top', '']) {
      await expect(clientOf(server).request('GET', path)).rejects.toThrow(TypeError);
    }
    const headers = { 'If-Match': etagOf({}) } as Record<string, string>;
    await expect(clientOf(server).request('PATCH', '/v1/pets/17', { headers, body: {} })).rejects.toThrow(
      'If-Match must be a string; it is undefined',
    );
    expect(server.received).toEqual([]);
  });
});
