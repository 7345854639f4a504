import { inspect } from 'node:util';
import { jest } from '@jest/globals';
import { createClient, type Client, type ClientOptions, type RequestInfo } from '../../packages/client/src/index.js';
import { answer, refuse, startScriptedServer, type ScriptedServer, type Step } from './scripted-server.fixture.js';
import { onRetry, until, useVirtualTime, withoutWaiting } from './virtual-time.fixture.js';

const KEY = 'adopt_dev_key_of_the_test';
const REX = { id: 17, name: 'Rex', categoryId: 7 };
const LIMITS = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '58', 'x-ratelimit-reset': '1780315200' };

const clientOf = ({ origin }: ScriptedServer, options: Partial<ClientOptions<'bigint'>> = {}): Client<bigint> =>
  createClient({ baseUrl: origin, key: KEY, ...options });

/** All that may be printed of values, in the ways that programs print and serialize them. */
const printed = (values: unknown): string =>
  inspect(values, { showHidden: true, showProxy: true, getters: true, depth: Infinity }) +
  JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

describe('what a client tells and keeps to itself', () => {
  useVirtualTime();

  it('is each attempt to hooks, what came of it, and the wait before the next one', async () => {
    const server = await startScriptedServer(refuse(503, 'service_unavailable', { 'retry-after': '7' }), answer(201, REX, LIMITS));
    const calls: (readonly [string, object])[] = [];
    const client = clientOf(server, {
      onRequest: ({ headers, ...request }) => calls.push(['request', { ...request, accept: headers.get('Accept') }]),
      onResponse: ({ headers, ...response }) => calls.push(['response', { ...response, id: headers.get('X-Request-Id') }]),
      onRetry: ({ reason, ...retry }) => {
        onRetry();
        calls.push(['retry', { ...retry, status: reason.status }]);
      },
    });
    await withoutWaiting(client.pets.add({ name: 'Rex', categoryId: 7n }));
    const request = { method: 'POST', url: `${server.origin}/v1/pets` };
    expect(calls).toEqual([
      ['request', { ...request, attempt: 1, accept: 'application/json' }],
      ['response', { ...request, attempt: 1, status: 503, rateLimit: undefined, id: 'request-7' }],
      ['retry', { ...request, attempt: 1, delay: 7_000, status: 503 }],
      ['request', { ...request, attempt: 2, accept: 'application/json' }],
      ['response', { ...request, attempt: 2, status: 201, rateLimit: { limit: 60, remaining: 58, reset: 1_780_315_200 }, id: null }],
    ]);
  });

  it('is its key, in nothing that can be printed of it, of what it gives, and of what hooks and errors hold', async () => {
    const server = await startScriptedServer(answer(200, [REX]), answer(200, [REX]), refuse(404, 'not_found'));
    const requests: RequestInfo[] = [];
    const held: unknown[] = [];
    const hooks = { onRequest: requests.push.bind(requests), onResponse: held.push.bind(held), onRetry: held.push.bind(held) };
    const client = clientOf(server, { ...hooks, maxWait: 0 });
    const list = client.pets.list();
    const iterator = list[Symbol.asyncIterator]();
    held.push(client, client.pets, client.orders, client.events, client.webhooks, client.key, client.keys, client.request);
    held.push(list, iterator, client.events.stream());
    held.push(await iterator.next(), await client.request('GET', '/v1/pets'));
    held.push(await client.pets.get(17n).catch((error: unknown) => error));
    held.push(
      await clientOf({ ...server, origin: 'http://127.0.0.1:1' }, { maxWait: 0 })
        .pets.get(17n)
        .catch((error: unknown) => error),
    );
    expect(requests).toHaveLength(3);
    expect(requests.map(({ headers }) => headers.get('Authorization'))).toEqual([null, null, null]);
    expect(printed([requests.map(({ headers }) => [...headers]), requests, held])).not.toContain(KEY);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual(Array.from({ length: 3 }, () => `Bearer ${KEY}`));
  });

  describe('of the timeout of an attempt', () => {
    /** Takes the request and never answers. */
    const silent: Step = () => undefined;
    /** Begins an answer and never ends it. */
    const slow: Step = (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('[{"id":17,');

    it.each([
      ['without an answer', silent],
      ['with half an answer', slow],
    ])('is 30 seconds, after which one %s is tried again', async (_, step) => {
      const server = await startScriptedServer(step, answer(200, [REX]));
      const failures: string[] = [];
      const client = clientOf(server, {
        onRetry: ({ reason }) => {
          onRetry();
          failures.push(reason.code);
        },
      });
      const call = client.pets.get(17n);
      await until(() => server.received.length === 1);
      jest.advanceTimersByTime(29_999);
      expect(jest.getTimerCount()).toBe(1);
      jest.advanceTimersByTime(1);
      await until(() => failures.length > 0);
      jest.advanceTimersToNextTimer();
      expect(await call).toMatchObject({ id: 17n });
      expect(failures).toEqual(['timeout']);
      await until(() => server.open === 0);
      expect(jest.getTimerCount()).toBe(0);
    });
  });
});
