import fc from 'fast-check';
import { composition } from '../../src/bootstrap/composition.js';
import type { Answer, RequestOptions } from './api-client.fixture.js';
import { AVAILABLE, drawnRequest, isDescribed, isOpen, operations, type DrawnRequest, type Operation } from './openapi-requests.fixture.js';
import { UNLIMITED } from './service.fixture.js';
import { ORDERS, startStore, type Store } from './store.fixture.js';
import { ADDRESS, WEBHOOKS } from './webhooks.fixture.js';

const LARGEST = '9223372036854775807';
const MALFORMED = ['x', '1.0', '01', '-0', '+1', '1e0', '9223372036854775808', '-9223372036854775809', '1%00', '1'.repeat(300)];

/** Every answer is compared with the document by the client that sends the request. */
describe('each operation of the OpenAPI document', () => {
  let store: Store;
  /** A key with every scope. */
  let key: string;
  beforeAll(async () => {
    store = await startStore({ environment: { WEBHOOKS_PER_KEY: '10000' }, polls: false });
    key = (await store.issueKey({ ...UNLIMITED, scopes: [...composition().scopes.keys()] })).token;
  });
  afterAll(() => store.close());

  /** What the paths are about, made anew for each request. */
  const makers: Readonly<Record<string, () => Promise<{ readonly id: number | bigint }>>> = {
    petId: async () => ({ id: await store.addAvailable() }),
    orderId: async () => (await store.client.post(ORDERS, { petId: await store.addAvailable() }, { key })).json<{ id: number }>(),
    keyId: () => store.issueKey(),
    webhookId: async () => (await store.client.post(WEBHOOKS, { url: ADDRESS }, { key })).json<{ id: number }>(),
    // Nothing has been sent, so no delivery is there.
    deliveryId: () => Promise.resolve({ id: 1 }),
  };
  const pathOf = async ({ template }: Operation, ids: Readonly<Record<string, string>> = {}) => {
    let path = template;
    for (const [place, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
      const make = makers[name] ?? (() => makeIn(template.slice(0, template.indexOf(`/${place}`))));
      path = path.replace(place, ids[name] ?? String((await make()).id));
    }
    return path;
  };
  /** The key to ask with: one that rotates itself is a new one. */
  const keyFor = async ({ template }: Operation) => (template.startsWith('/v1/key/') ? (await store.issueKey(UNLIMITED)).token : key);
  const bodyWithPet = async (body: unknown) => {
    const isPlaced = typeof body === 'object' && body !== null && 'petId' in body && body.petId === AVAILABLE;
    return isPlaced ? { ...body, petId: await store.addAvailable() } : body;
  };
  /** A request that is as it has to be. */
  const sample = async ({ body, parameters }: Operation): Promise<{ readonly query: string; readonly options: RequestOptions }> => {
    const required = parameters.find((parameter) => parameter.required && parameter.in === 'query')?.name ?? '';
    const query = { reason: '?reason=gone', after: '?after=0' }[required] ?? '';
    if (!body) return { query, options: {} };
    return { query, options: { body: await bodyWithPet(body.example), headers: { 'content-type': body.type } } };
  };
  const send = async (operation: Operation, further: RequestOptions & { readonly query?: string; readonly path?: string } = {}) => {
    const { query, options } = await sample(operation);
    const { query: furtherQuery = query, path = await pathOf(operation), headers, ...others } = further;
    const all = { key: await keyFor(operation), ...options, ...others, headers: { ...options.headers, ...headers } };
    return store.client.send(operation.method, `${path}${furtherQuery}`, all);
  };
  /** Makes one of a collection as the document's example shows it. */
  const makeIn = async (collection: string) => {
    const adding = operations.find(({ method, template }) => method === 'POST' && template === collection);
    if (!adding) throw new Error(`Say in makers how one is made that is in ${collection}.`);
    return (await send(adding)).json<{ id: number }>();
  };
  const codeOf = (answer: Answer) => [answer.status, answer.json<{ code: string }>().code];

  describe.each(operations.map((operation) => [operation.name, operation] as const))('%s', (_name, operation) => {
    const takes = (name: string) => operation.parameters.some((parameter) => parameter.name === name);
    const isRead = operation.method === 'GET';
    const placeNames = [...operation.template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

    it('refuses what the document does not allow as invalid, and nothing else', async () => {
      await fc.assert(
        fc.asyncProperty(drawnRequest(operation), async (drawn: DrawnRequest) => {
          const body = await bodyWithPet(drawn.body);
          const headers: Record<string, string> = drawn.idempotencyKey === undefined ? {} : { 'idempotency-key': drawn.idempotencyKey };
          if (body !== undefined) headers['content-type'] = operation.body?.type ?? '';
          const target = `${await pathOf(operation)}?${new URLSearchParams(drawn.query).toString()}`;
          const text = body === undefined ? undefined : JSON.stringify(body);
          const answer = await store.client.send(operation.method, target, { key: await keyFor(operation), headers, body: text });
          if (!isDescribed(operation, drawn, body)) expect(answer.status).toBe(target.length > 8_192 ? 414 : 400);
          else if (!isOpen(drawn)) expect([answer.status, answer.text]).not.toEqual([400, expect.anything()]);
        }),
        { numRuns: operation.body ? 30 : 10 },
      );
    });

    it('answers as every operation does', async () => {
      const { status } = await send(operation);
      // No delivery is there, and an order is approved first.
      if (!['redeliver', 'deliverOrder'].includes(operation.name)) expect(status).toBeLessThan(300);
      expect(codeOf(await send(operation, { key: null }))).toEqual([401, 'unauthorized']);
      expect(codeOf(await send(operation, { query: '?nonsense=1' }))).toEqual([400, 'invalid_parameter']);
      expect(codeOf(await send(operation, { headers: { accept: 'text/html' } }))).toEqual([406, 'not_acceptable']);
      expect(codeOf(await send(operation, { headers: { expect: 'tea' } }))).toEqual([417, 'expectation_failed']);
      const coded = await send(operation, { body: undefined, headers: { 'transfer-encoding': 'gzip, chunked' } });
      expect(codeOf(coded)).toEqual([400, 'invalid_request']);
      for (const name of placeNames) {
        for (const path of MALFORMED) {
          expect(codeOf(await send(operation, { path: await pathOf(operation, { [name]: path }) }))).toEqual([400, 'invalid_parameter']);
        }
        expect(codeOf(await send(operation, { path: await pathOf(operation, { [name]: LARGEST }) }))).toEqual([404, 'not_found']);
      }
    });

    it('keeps to the conditions of a request', async () => {
      const path = await pathOf(operation);
      if (takes('If-Match')) {
        for (const tag of ['"x"', 'W/"x"']) {
          expect(codeOf(await send(operation, { path, headers: { 'if-match': tag } }))).toEqual([412, 'precondition_failed']);
        }
        expect(codeOf(await send(operation, { path, headers: { 'if-match': 'x' } }))).toEqual([400, 'invalid_parameter']);
      }
      if (takes('If-None-Match') && !isRead) {
        expect(codeOf(await send(operation, { path, headers: { 'if-none-match': '*' } }))).toEqual([412, 'precondition_failed']);
      }
      // What is left of a key's limits changes with every request.
      if (!isRead || operation.name === 'getOwnKey') return;
      const get = await send(operation, { path });
      const head = await store.client.send('HEAD', path, { key });
      const unchanged = await send(operation, { path, headers: { 'if-none-match': `"x", W/${String(get.headers.etag)}` } });
      expect([get.status, head.status, head.text, unchanged.status, unchanged.text]).toEqual([200, 200, '', 304, '']);
      for (const name of ['etag', 'link', 'cache-control']) {
        expect([head.headers[name], unchanged.headers[name]]).toEqual([get.headers[name], get.headers[name]]);
      }
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
      expect((await send(operation, { path, headers: { 'if-none-match': '"x"' } })).status).toBe(200);
      expect((await store.client.send('HEAD', `${path}?x=1`, { key })).status).toBe(400);
      // What a body of GET says is nobody's business.
      expect((await send(operation, { path, body: 'x'.repeat(70_000), headers: { 'content-type': 'text/plain' } })).status).toBe(200);
    });

    it('takes a body of its form only', async () => {
      if (!operation.body) return;
      const type = operation.body.type;
      const invalid = [400, 'invalid_request'];
      const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
      for (const body of ['{', '[]', 'null', '7', deep, '{"a":1,"a":1}', Buffer.from('{"\xff":1}', 'latin1')]) {
        expect(codeOf(await send(operation, { body, headers: { 'content-type': type } }))).toEqual(invalid);
      }
      const large = await send(operation, { body: 'x'.repeat(70_000) });
      const text = await send(operation, { body: '{}', headers: { 'content-type': 'text/plain' } });
      const packed = await send(operation, { body: '{}', headers: { 'content-encoding': 'gzip' } });
      expect([large, text, packed].map(codeOf)).toEqual([
        [413, 'payload_too_large'],
        [415, 'unsupported_media_type'],
        [415, 'unsupported_media_type'],
      ]);
      const isPatch = operation.method === 'PATCH';
      expect(isPatch ? text.headers['accept-patch'] : text.headers['accept']).toBe(isPatch ? `${type}, application/json` : type);
      expect([text.headers['accept-encoding'], packed.headers['accept-encoding']]).toEqual([undefined, 'identity']);
    });
  });

  it.each([...new Set(operations.map(({ template }) => template))])('%s has these methods, HEAD and OPTIONS only', async (template) => {
    const methods = operations.filter((operation) => operation.template === template).map(({ method }) => method);
    const path = template.replaceAll(/\{\w+\}/g, LARGEST);
    const options = await store.client.send('OPTIONS', `${path}?x=1`, { key, body: 'x'.repeat(70_000), headers: { accept: 'text/html' } });
    const allowed = String(options.headers.allow).split(', ');
    expect([options.status, allowed.toSorted()]).toEqual([
      204,
      [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted(),
    ]);
    expect((await store.client.send('OPTIONS', path, { key: null })).status).toBe(401);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !methods.includes(each))) {
      const answer = await store.client.send(method, path, { key });
      expect([...codeOf(answer), answer.headers.allow]).toEqual([405, 'method_not_allowed', options.headers.allow]);
    }
  });
});
