import { jest } from '@jest/globals';
import fc from 'fast-check';
import { AdoptionError, createClient, type Client } from '../../packages/client/src/index.js';
import { answer, refuse, startScriptedServer, waitsBefore, type ScriptedServer, type Step } from './scripted-server.fixture.js';
import { onRetry, useVirtualTime, withoutWaiting } from './virtual-time.fixture.js';

const KEY = 'adopt_dev_key';
const REX = { id: 17, name: 'Rex', categoryId: 7 };
const added = answer(201, REX);
const unavailable = refuse(503, 'service_unavailable');

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

type Call = readonly [name: string, call: (client: Client<bigint>) => Promise<unknown>];

describe('a call of the client', () => {
  useVirtualTime();
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
  });

  const clientOf = ({ origin }: ScriptedServer, maxWait = 60_000): Client<bigint> =>
    createClient({ baseUrl: origin, key: KEY, ids: 'bigint', maxWait, onRetry, onWarning: (message) => warnings.push(message) });
  const add = (client: Client<bigint>) => withoutWaiting(client.pets.add({ name: 'Rex', categoryId: 7n }));

  describe('that fails', () => {
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

    it('is not tried again where the service says no', async () => {
      for (const status of [400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 501, 505]) {
        const server = await startScriptedServer(refuse(status, 'conflict'), added);
        const refusal = { name: 'AdoptionError', status, code: 'conflict', message: 'It is conflict.' };
        await expect(add(clientOf(server))).rejects.toMatchObject(refusal);
        expect(server.received).toHaveLength(1);
      }
    });

    it('never shares its idempotency key with another, and takes one that it is given', async () => {
      const server = await startScriptedServer(added);
      const client = clientOf(server);
      await add(client);
      await add(client);
      await withoutWaiting(client.pets.add({ name: 'Rex', categoryId: 7n }, { idempotencyKey: 'mine' }));
      const [first, second, third] = server.received.map(({ headers }) => headers['idempotency-key']);
      expect(first).not.toBe(second);
      expect(third).toBe('mine');
    });

    it.each<Call>([
      ['webhooks.test', (client) => client.webhooks.test(3n)],
      ['webhooks.redeliver', (client) => client.webhooks.redeliver(3n, 4n)],
      ['webhooks.replay', (client) => client.webhooks.replay(3n, { after: '0' })],
      ['webhooks.rotateSecret', (client) => client.webhooks.rotateSecret(3n)],
      ['key.rotate', (client) => client.key.rotate()],
      ['keys.rotate', (client) => client.keys.rotate(3n)],
      ['keys.ban', (client) => client.keys.ban(3n, { seconds: 60, reason: 'Runs wild.' })],
    ])('is tried again after 429 alone where it is %s, since it would be done twice', async (_, call) => {
      const busy = await startScriptedServer(refuse(429, 'rate_limited'), answer(202, { id: 5 }));
      expect(await withoutWaiting(call(clientOf(busy)))).toEqual({ id: 5n });
      for (const failure of [unavailable, refuse(409, 'idempotency_key_in_progress'), hangUp, cutUnseen]) {
        const server = await startScriptedServer(failure, answer(202, { id: 5 }));
        await expect(withoutWaiting(call(clientOf(server)))).rejects.toThrow(AdoptionError);
        expect(server.received).toHaveLength(1);
      }
    });

    it.each<Call>([
      ['keys.revoke', (client) => client.keys.revoke(3n)],
      ['keys.unban', (client) => client.keys.unban(3n)],
    ])('is tried again after a lost answer where it is %s, since a second one ends the same way', async (_, call) => {
      const server = await startScriptedServer(hangUp, unavailable, answer(200, { id: 3 }));
      expect(await withoutWaiting(call(clientOf(server)))).toEqual({ id: 3n });
      expect(server.received).toHaveLength(3);
    });
  });

  describe('waits', () => {
    it.each<[string, number, number]>([
      ['7', 7_000, 7_000],
      ['Mon, 01 Jun 2026 12:00:09 GMT', 9_000, 9_000],
      ['0', 100, 100],
      ['Mon, 01 Jun 2026 11:00:00 GMT', 100, 100],
      ...['soon', '-5', '1.5', 'GMT'].map((text): [string, number, number] => [text, 250, 500]),
    ])('after a Retry-After of %p from %d to %d ms', async (retryAfter, least, most) => {
      const server = await startScriptedServer(refuse(503, 'service_unavailable', { 'retry-after': retryAfter }), added);
      await add(clientOf(server));
      const [wait = 0] = waitsBefore(server);
      expect(wait).toBeGreaterThanOrEqual(least);
      expect(wait).toBeLessThanOrEqual(most);
    });

    it('twice as long each time, less a random part, and together within maxWait', async () => {
      const calls = fc.asyncProperty(fc.integer({ min: 0, max: 100_000 }), async (maxWait) => {
        const server = await startScriptedServer(unavailable);
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

    it('no more when its signal is aborted, and ends with the reason', async () => {
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

  it('ends where its signal is aborted under way, and sends nothing where it was before', async () => {
    const abort = new AbortController();
    const server = await startScriptedServer(() => abort.abort());
    const client = clientOf(server);
    for (let times = 0; times < 2; times += 1) {
      await expect(client.pets.get(7n, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
    }
    for (const items of [client.pets.list({ signal: abort.signal }), client.events.stream({ signal: abort.signal })]) {
      await expect(items[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name: 'AbortError' });
    }
    expect(server.received).toHaveLength(1);
  });

  it('takes its key to no other origin that a redirect or a link names', async () => {
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

  describe('for a list', () => {
    const link = '</v1/pets?cursor=abc&status=available>; rel="next", </docs>; rel="help"';

    it('asks for a page when it is needed, for none after the loop, and begins anew with each loop', async () => {
      const server = await startScriptedServer(answer(200, [REX, REX], { link }));
      const list = clientOf(server).pets.list({ ids: [3n, 17n], limit: 2 });
      expect(server.received).toEqual([]);
      for (let times = 0; times < 2; times += 1) {
        let count = 0;
        for await (const animal of list) {
          expect(animal.id).toBe(17n);
          count += 1;
          expect(server.received).toHaveLength(times * 2 + Math.ceil(count / 2));
          if (count === 4) break;
        }
      }
      const pages = ['/v1/pets?ids=3%2C17&limit=2', '/v1/pets?cursor=abc&status=available'];
      expect(server.received.map(({ url }) => url)).toEqual([...pages, ...pages]);
    });

    it.each([
      '</v1/pets?cursor=abc>; title="one, two; <three>"; rel="next"',
      '</v1/pets?cursor=abc#top> ; REL=Next',
      '</docs>; title="a \\"quoted\\" </v1/pets?cursor=no>; rel=next", </v1/pets?cursor=abc>;rel="prev next";type=json',
      '</v1/pets?cursor=no>; rel=prev; rel=next, </v1/pets?cursor=abc>; crossorigin; rel=next',
    ])('finds the next page in a link as RFC 8288 lets it be written: %s', async (link) => {
      const server = await startScriptedServer(
        answer(200, [REX], { link }),
        answer(200, [REX], { link: '</v1/pets?cursor=no>; rel="nextish"' }),
      );
      expect(await clientOf(server).pets.list().toArray({ max: 9 })).toHaveLength(2);
      expect(server.received.map(({ url }) => url)).toEqual(['/v1/pets', '/v1/pets?cursor=abc']);
    });
  });

  it('reads its count from the header of a page with one item', async () => {
    const server = await startScriptedServer(answer(200, [REX], { 'x-total-count': '1234' }), answer(200, [REX]));
    const filters = { status: ['sold', 'unset'], categoryId: [7n, 8n], name: 're', addedSince: new Date(0) } as const;
    expect(await clientOf(server).pets.count(filters)).toBe(1234);
    const query = 'status=sold%2Cunset&categoryId=7%2C8&name=re&addedSince=1970-01-01T00%3A00%3A00.000Z';
    expect(server.received[0]?.url).toBe(`/v1/pets?${query}&limit=1&total=true`);
    await expect(clientOf(server).orders.count()).rejects.toMatchObject({ status: 200, code: 'unreadable_answer' });
  });

  it('warns of what is deprecated once a client', async () => {
    const headers = { deprecation: '@1780315200', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' };
    const server = await startScriptedServer(answer(200, REX, headers));
    const client = clientOf(server);
    for (let times = 0; times < 2; times += 1) await client.request('GET', '/v1/pets/17');
    expect(warnings).toEqual(['GET /v1/pets/17 is deprecated and ends on Thu, 05 Dec 2030 00:00:00 GMT.']);
    await clientOf(server).request('GET', '/v1/pets/17');
    expect(warnings).toHaveLength(2);
  });

  it.each([7, '7/../8', '', '9223372036854775808'])('is refused with the id %p before anything is sent', async (id) => {
    const server = await startScriptedServer(answer(200, REX));
    const client = clientOf(server);
    const wrong = id as unknown as bigint;
    for (const call of [
      () => client.pets.get(wrong),
      () => client.pets.add({ name: 'Rex', categoryId: wrong }),
      () => client.orders.approve(wrong),
      () => client.webhooks.redeliver(3n, wrong),
      () => client.keys.usage(wrong),
      () => client.keys.rotate(wrong),
      () => client.orders.count({ petId: [7n, wrong] }),
    ]) {
      await expect(call()).rejects.toThrow(TypeError);
    }
    expect(() => client.pets.list({ ids: [wrong] })).toThrow(TypeError);
    expect(() => client.pets.list({ categoryId: wrong })).toThrow(TypeError);
    expect(server.received).toEqual([]);
  });
});
