import { jest } from '@jest/globals';
import fc from 'fast-check';
import { AdoptionError, createClient, etagOf, type Client } from '../../packages/client/src/index.js';
import { answer, refuse, startScriptedServer, waitsBefore, type ScriptedServer, type Step } from './scripted-server.fixture.js';
import { onRetry, useVirtualTime, withoutWaiting } from './virtual-time.fixture.js';

const KEY = 'adopt_dev_key';
const REX = { id: 17, name: 'Rex', categoryId: 7 };
const added = answer(201, REX);

/** Takes the request and ends the connection without an answer. */
const hangUp: Step = (response) => response.destroy();
/** Ends the connection in the middle of the body. */
const cutShort: Step = (response) => {
  response.writeHead(201, { 'content-length': '100' });
  response.write('{"id":17,', () => response.destroy());
};
const cutChunks: Step = (response) => {
  response.writeHead(201);
  response.write('{"id":17,', () => response.destroy());
};
/** What a proxy that lost its connection passes on as if it were all. */
const cutUnseen: Step = (response) => response.writeHead(201).end('{"id":17,"name":"Re');

useVirtualTime();

let warnings: string[];
beforeEach(() => {
  warnings = [];
});

function clientOf({ origin }: ScriptedServer, maxWait = 60_000): Client<bigint> {
  return createClient({ baseUrl: origin, key: KEY, ids: 'bigint', maxWait, onRetry, onWarning: (message) => warnings.push(message) });
}

const add = (client: Client<bigint>) => withoutWaiting(client.pets.add({ name: 'Rex', categoryId: 7n }));

describe('a call that fails', () => {
  const temporary: readonly (readonly [string, Step])[] = [
    ...[408, 429, 500, 502, 503, 504].map((status) => [String(status), refuse(status, 'any')] as const),
    ['502 of a proxy', answer(502, '<html>')],
    ['409 idempotency_key_in_progress', refuse(409, 'idempotency_key_in_progress')],
    ['no answer', hangUp],
    ['a body that is cut short', cutShort],
    ['a body of chunks that is cut short', cutChunks],
    ['a body that is cut short unseen', cutUnseen],
  ];

  it.each(temporary)('is tried again after %s, with the same idempotency key and body', async (_, failure) => {
    const server = await startScriptedServer(failure, failure, added);
    expect(await add(clientOf(server))).toEqual({ id: 17n, name: 'Rex', categoryId: 7n });
    expect(server.received).toHaveLength(3);
    const sent = server.received.map(({ method, url, headers, body }) => [method, url, headers['idempotency-key'], body]);
    expect(new Set(sent.map((each) => each.join(' '))).size).toBe(1);
    expect(server.received[0]).toMatchObject({ method: 'POST', url: '/v1/pets', body: '{"name":"Rex","categoryId":7}' });
    expect(server.received[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 501, 505])('is not tried again after %d', async (status) => {
    const server = await startScriptedServer(refuse(status, 'conflict'), added);
    await expect(add(clientOf(server))).rejects.toMatchObject({
      name: 'AdoptionError',
      status,
      code: 'conflict',
      message: 'It is conflict.',
    });
    expect(server.received).toHaveLength(1);
  });

  it('tells what the answer says', async () => {
    const headers = { 'retry-after': '120', 'x-ratelimit-reset': '1780315200' };
    const server = await startScriptedServer(refuse(429, 'rate_limited', headers));
    const error = await add(clientOf(server)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AdoptionError);
    expect(error).toMatchObject({ status: 429, code: 'rate_limited', requestId: 'request-7', reset: 1_780_315_200, retryAfter: 120 });
  });

  it('tells of a status without an error of the service, and of no answer', async () => {
    const answered = await startScriptedServer(answer(418, '<html>'));
    await expect(add(clientOf(answered))).rejects.toMatchObject({ status: 418, code: 'http_418', requestId: undefined });
    const silent = await startScriptedServer(hangUp);
    await expect(add(clientOf(silent, 0))).rejects.toMatchObject({ status: 0, code: 'network_error', retryAfter: undefined });
  });

  it('never has two additions with one key, and takes a key that it is given', async () => {
    const server = await startScriptedServer(added);
    const client = clientOf(server);
    await add(client);
    await add(client);
    await withoutWaiting(client.pets.add({ name: 'Rex', categoryId: 7n }, { idempotencyKey: 'mine' }));
    const [first, second, third] = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
    expect(third).toBe('mine');
  });

  const notRepeatable: readonly (readonly [string, (client: Client<bigint>) => Promise<unknown>])[] = [
    ['webhooks.test', (client) => client.webhooks.test(3n)],
    ['webhooks.redeliver', (client) => client.webhooks.redeliver(3n, 4n)],
    ['webhooks.replay', (client) => client.webhooks.replay(3n, { after: '0' })],
    ['webhooks.rotateSecret', (client) => client.webhooks.rotateSecret(3n)],
    ['key.rotate', (client) => client.key.rotate()],
    ['keys.rotate', (client) => client.keys.rotate(3n)],
    ['keys.ban', (client) => client.keys.ban(3n, { seconds: 60, reason: 'Runs wild.' })],
  ];

  it.each(notRepeatable)('of %s is tried again after 429 alone, since it would be done twice', async (_, call) => {
    const busy = await startScriptedServer(refuse(429, 'rate_limited'), answer(202, { id: 5 }));
    expect(await withoutWaiting(call(clientOf(busy)))).toEqual({ id: 5n });
    for (const failure of [refuse(503, 'service_unavailable'), refuse(409, 'idempotency_key_in_progress'), hangUp, cutUnseen]) {
      const server = await startScriptedServer(failure, answer(202, { id: 5 }));
      await expect(withoutWaiting(call(clientOf(server)))).rejects.toThrow(AdoptionError);
      expect(server.received).toHaveLength(1);
    }
  });

  it.each<[string, (client: Client<bigint>) => Promise<unknown>]>([
    ['keys.revoke', (client) => client.keys.revoke(3n)],
    ['keys.unban', (client) => client.keys.unban(3n)],
  ])('of %s is tried again after a lost answer too, since a second one ends the same way', async (_, call) => {
    const server = await startScriptedServer(hangUp, refuse(503, 'service_unavailable'), answer(200, { id: 3 }));
    expect(await withoutWaiting(call(clientOf(server)))).toEqual({ id: 3n });
    expect(server.received).toHaveLength(3);
  });
});

describe('the waits of a call', () => {
  it.each<[string, string, number]>([
    ['seconds', '7', 7_000],
    ['a date', 'Mon, 01 Jun 2026 12:00:09 GMT', 9_000],
    ['no time at all', '0', 100],
    ['a date that is over', 'Mon, 01 Jun 2026 11:00:00 GMT', 100],
  ])('are as long as Retry-After says in %s', async (_, retryAfter, wait) => {
    const server = await startScriptedServer(refuse(503, 'service_unavailable', { 'retry-after': retryAfter }), added);
    await add(clientOf(server));
    expect(waitsBefore(server)).toEqual([wait]);
  });

  it.each(['soon', '-5', '1.5', 'GMT'])('are as without Retry-After where that is %p', async (retryAfter) => {
    const server = await startScriptedServer(refuse(503, 'service_unavailable', { 'retry-after': retryAfter }), added);
    await add(clientOf(server));
    const [wait = 0] = waitsBefore(server);
    expect(wait).toBeGreaterThanOrEqual(250);
    expect(wait).toBeLessThanOrEqual(500);
  });

  it('double, less a random part, and together stay within maxWait', async () => {
    const calls = fc.asyncProperty(fc.integer({ min: 0, max: 100_000 }), async (maxWait) => {
      const server = await startScriptedServer(refuse(503, 'service_unavailable'));
      await expect(add(clientOf(server, maxWait))).rejects.toMatchObject({ status: 503 });
      const waits = waitsBefore(server);
      for (const [failures, wait] of waits.entries()) {
        expect(wait).toBeGreaterThanOrEqual(Math.floor(250 * 2 ** failures));
        expect(wait).toBeLessThanOrEqual(500 * 2 ** failures);
      }
      const total = waits.reduce((sum, wait) => sum + wait, 0);
      expect(total).toBeLessThanOrEqual(maxWait);
      // One more could have been longer than what was left.
      expect(total + 500 * 2 ** waits.length).toBeGreaterThan(maxWait);
    });
    await fc.assert(calls, { numRuns: 20 });
  });

  it('are none where the next would be too long', async () => {
    const server = await startScriptedServer(refuse(429, 'rate_limited', { 'retry-after': '61' }), added);
    const before = Date.now();
    await expect(add(clientOf(server))).rejects.toMatchObject({ status: 429, retryAfter: 61 });
    expect(Date.now()).toBe(before);
    expect(server.received).toHaveLength(1);
  });

  it('are over at once when the signal is aborted, with its reason', async () => {
    const abort = new AbortController();
    const server = await startScriptedServer((response, request) => {
      refuse(503, 'service_unavailable', { 'retry-after': '30' })(response, request);
      response.on('close', () => setImmediate(() => abort.abort(new Error('enough'))));
    });
    await expect(clientOf(server).pets.add({ name: 'Rex', categoryId: 7n }, { signal: abort.signal })).rejects.toThrow('enough');
    expect(server.received).toHaveLength(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a signal', () => {
  it('ends a request that is under way', async () => {
    const abort = new AbortController();
    const server = await startScriptedServer(() => abort.abort());
    await expect(clientOf(server).pets.get(7n, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('that was aborted before has nothing sent', async () => {
    const server = await startScriptedServer(added);
    const signal = AbortSignal.abort();
    const client = clientOf(server);
    await expect(client.pets.get(7n, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(client.pets.list({ signal })[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name: 'AbortError' });
    await expect(client.events.stream({ signal })[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.received).toEqual([]);
  });
});

describe('the key', () => {
  it('goes to no other origin that a redirect or a link names', async () => {
    const other = await startScriptedServer(answer(200, []));
    const redirecting = await startScriptedServer(answer(307, '', { location: `${other.origin}/v1/pets` }));
    await expect(add(clientOf(redirecting))).rejects.toMatchObject({ status: 307, code: 'redirect_refused' });
    expect(redirecting.received).toHaveLength(1);
    const link = `<${other.origin}/v1/pets?cursor=second>; rel="next"`;
    const linking = await startScriptedServer(answer(200, [REX], { link }), answer(200, []));
    for await (const { id } of clientOf(linking).pets.list()) expect(id).toBe(17n);
    expect(linking.received.map(({ url }) => url)).toEqual(['/v1/pets', '/v1/pets?cursor=second']);
    expect(other.received).toEqual([]);
  });

  it('is in no message where it is refused', () => {
    const secret = 'adopt_dev_key\n';
    expect(() => createClient({ baseUrl: 'http://localhost', key: secret })).toThrow(/^(?!.*adopt_dev_key)/);
  });
});

describe('a list', () => {
  it('asks for a page when it is needed, and for none after the loop', async () => {
    const link = '</v1/pets?cursor=abc&status=available>; rel="next", </docs>; rel="help"';
    const server = await startScriptedServer(answer(200, [REX, REX], { link }));
    let count = 0;
    for await (const animal of clientOf(server).pets.list({ status: 'available', limit: 2 })) {
      expect(animal.id).toBe(17n);
      count += 1;
      expect(server.received).toHaveLength(Math.ceil(count / 2));
      if (count === 4) break;
    }
    expect(server.received.map(({ url }) => url)).toEqual(['/v1/pets?status=available&limit=2', '/v1/pets?cursor=abc&status=available']);
  });

  it('begins anew with each loop, and asks for nothing before one', async () => {
    const server = await startScriptedServer(answer(200, [REX]));
    const list = clientOf(server).pets.list({ ids: [3n, 17n] });
    expect(server.received).toEqual([]);
    for (let times = 0; times < 2; times += 1) for await (const { name } of list) expect(name).toBe('Rex');
    expect(server.received.map(({ url }) => url)).toEqual(['/v1/pets?ids=3%2C17', '/v1/pets?ids=3%2C17']);
  });
});

describe('the count of a list', () => {
  it('is read from the header of a page with one item', async () => {
    const server = await startScriptedServer(answer(200, [REX], { 'x-total-count': '1234' }));
    expect(await clientOf(server).pets.count({ status: ['sold', 'unset'], name: 're' })).toBe(1234);
    expect(server.received.map(({ url }) => url)).toEqual(['/v1/pets?status=sold%2Cunset&name=re&limit=1&total=true']);
  });

  it('is refused if the response has none', async () => {
    const server = await startScriptedServer(answer(200, [REX]));
    await expect(clientOf(server).orders.count()).rejects.toMatchObject({ status: 200, code: 'unreadable_answer' });
  });
});

describe('the array of a list', () => {
  const link = '</v1/pets?cursor=abc>; rel="next"';

  it('has as many as are asked for, and no page more is fetched', async () => {
    const server = await startScriptedServer(answer(200, [REX, REX], { link }));
    const list = clientOf(server).pets.list({ limit: 2 });
    expect((await list.toArray({ max: 3 })).map(({ id }) => id)).toEqual([17n, 17n, 17n]);
    expect(server.received).toHaveLength(2);
    expect(await list.toArray({ max: 2 })).toHaveLength(2);
    expect(server.received).toHaveLength(3);
  });

  it('has all where there are fewer', async () => {
    const server = await startScriptedServer(answer(200, [REX, REX], { link }), answer(200, [REX]));
    expect(await clientOf(server).pets.list().toArray({ max: 1_000 })).toHaveLength(3);
  });

  it.each([undefined, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('is refused with the bound %p', async (max) => {
    const server = await startScriptedServer(answer(200, [REX]));
    await expect(
      clientOf(server)
        .pets.list()
        .toArray({ max: max as number }),
    ).rejects.toThrow(RangeError);
    expect(server.received).toEqual([]);
  });
});

describe('an answer', () => {
  it('that is deprecated is told of once a client', async () => {
    const headers = { deprecation: '@1780315200', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' };
    const server = await startScriptedServer(answer(200, REX, headers));
    const client = clientOf(server);
    for (let times = 0; times < 2; times += 1) await client.pets.get(17n);
    expect(warnings).toEqual(['GET /v1/pets/17 is deprecated and ends on Thu, 05 Dec 2030 00:00:00 GMT.']);
    await clientOf(server).pets.get(17n);
    expect(warnings).toHaveLength(2);
  });

  it('has an entity tag, by which it is read and changed under conditions', async () => {
    const server = await startScriptedServer(answer(200, REX, { etag: '"one"' }), answer(304), refuse(412, 'precondition_failed'));
    const client = clientOf(server);
    const rex = await client.pets.get(17n);
    const etag = etagOf(rex);
    expect(etag).toBe('"one"');
    expect(await client.pets.get(17n, { ifNoneMatch: etag })).toBeUndefined();
    await expect(client.pets.update(17n, { name: 'Max' }, { ifMatch: etag })).rejects.toMatchObject({ status: 412 });
    expect(server.received.map(({ headers }) => [headers['if-none-match'], headers['if-match']])).toEqual([
      [undefined, undefined],
      ['"one"', undefined],
      [undefined, '"one"'],
    ]);
  });
});

describe('an id', () => {
  it.each([7, '7/../8', '', '9223372036854775808'])('that is %p is refused before anything is sent', async (id) => {
    const server = await startScriptedServer(answer(200, REX));
    const client = clientOf(server);
    const wrong = id as unknown as bigint;
    await expect(client.pets.get(wrong)).rejects.toThrow(TypeError);
    await expect(client.pets.add({ name: 'Rex', categoryId: wrong })).rejects.toThrow(TypeError);
    await expect(client.orders.approve(wrong)).rejects.toThrow(TypeError);
    await expect(client.webhooks.redeliver(3n, wrong)).rejects.toThrow(TypeError);
    await expect(client.keys.usage(wrong)).rejects.toThrow(TypeError);
    await expect(client.keys.rotate(wrong)).rejects.toThrow(TypeError);
    expect(() => client.pets.list({ ids: [wrong] })).toThrow(TypeError);
    expect(() => client.pets.list({ categoryId: wrong })).toThrow(TypeError);
    await expect(client.orders.count({ petId: [7n, wrong] })).rejects.toThrow(TypeError);
    expect(server.received).toEqual([]);
  });
});

describe('createClient', () => {
  it.each([
    ['', '/v1/pets'],
    ['/', '/v1/pets'],
    ['/v1', '/v1/pets'],
    ['/v1/', '/v1/pets'],
    ['/shop', '/shop/v1/pets'],
    ['/shop/v1', '/shop/v1/pets'],
  ])('takes a base address that ends in %p', async (path, expected) => {
    const server = await startScriptedServer(answer(200, []));
    for await (const animal of createClient({ baseUrl: server.origin + path, key: KEY }).pets.list()) expect(animal).toBeUndefined();
    expect(server.received.map(({ url }) => url)).toEqual([expected]);
  });

  it.each([
    { baseUrl: 'nowhere' },
    { baseUrl: 'ftp://localhost' },
    { baseUrl: 'http://user:password@localhost' },
    { baseUrl: 'http://localhost?a=b' },
    { key: 'two words' },
    { ids: 'number' as 'bigint' },
    { maxWait: -1 },
    { maxWait: Number.NaN },
    { maxWait: 2 ** 31 },
    { timeout: 0 },
    { timeout: Number.NaN },
    { timeout: 2 ** 31 },
  ])('refuses %p', (wrong) => {
    expect(() => createClient({ baseUrl: 'http://localhost', key: KEY, ...wrong })).toThrow(/^.+$/);
  });

  it('uses the fetch that it is given', async () => {
    const asked: string[] = [];
    const client = createClient({
      baseUrl: 'https://adoption.example',
      key: KEY,
      ids: 'string',
      fetch: (url) => {
        asked.push(new Request(url).url);
        return Promise.resolve(Response.json({ ...REX }));
      },
    });
    expect(await client.pets.get('17')).toEqual({ id: '17', name: 'Rex', categoryId: '7' });
    expect(asked).toEqual(['https://adoption.example/v1/pets/17']);
  });
});
