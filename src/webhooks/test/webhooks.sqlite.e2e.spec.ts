import fc from 'fast-check';
import { getServiceAdapter } from '#libs/http';
import type { Answer, RequestOptions } from '../../../test/e2e/api-client.fixture.js';
import { ADDRESS, startWebhooks, WEBHOOKS, type WebhookBody, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';

const SOME_TYPES = [
  ...['order.placed', 'order.approved', 'order.delivered', 'order.cancelled', 'order.expired'],
  ...['pet.added', 'pet.corrected', 'pet.status_changed', 'pet.withdrawn'],
];
const TEMPLATE = `${WEBHOOKS}/:webhookId`;

describe('the webhook endpoints of a key', () => {
  let service: WebhookService;
  beforeAll(async () => (service = await startWebhooks()));
  afterAll(() => service.close());

  const read = async (id: number) => (await service.send('GET', `/${id}`)).json<WebhookBody>();
  const change = (id: number, body: unknown, headers = {}) => service.send('PATCH', `/${id}`, { body, headers });

  it('are added for all types, or for some', async () => {
    const all = await service.send('POST', '', { body: { url: ADDRESS } });
    const { id, secret, types, ...rest } = all.json<WebhookBody>();
    expect(all).toMatchObject({ status: 201, headers: { location: `${WEBHOOKS}/${id}` } });
    expect(rest).toEqual({ url: ADDRESS, enabled: true, createdAt: service.clock.now().toISOString() });
    expect(types).toEqual(expect.arrayContaining(SOME_TYPES));
    expect(Buffer.from(/^whsec_(.+)$/.exec(secret ?? '')?.[1] ?? '', 'base64')).toHaveLength(32);
    const some = await service.add({ types: ['pet.added', 'order.placed'], description: ' ours ', enabled: false });
    expect(some).toMatchObject({ types: ['pet.added', 'order.placed'], description: ' ours ', enabled: false, disabledReason: 'owner' });
    expect(some.secret).not.toBe(secret);
    expect(await read(some.id)).toEqual({ ...some, secret: undefined });
    expect(await service.historyOf(some.id)).toEqual(['webhook-registered', 'webhook-disabled']);
  });

  it.each([
    [{ url: undefined }, 'url is missing: it must be a string of 1 to 2048'],
    [{ url: 'http://1.1.1.1/a' }, 'url must begin with https://'],
    [{ url: 'https://me:secret@1.1.1.1/' }, 'url must be an absolute https address without user name'],
    [{ url: 'https://127.0.0.1/' }, 'url'],
    [{ types: ['pet.added', 'pet-added'] }, 'types must be among '],
    [{ id: 7 }, '"id" is not a field of a new webhook endpoint'],
    [{ url: 'x', types: ['x'], description: '', enabled: 1 }, '; types must'],
  ])('are refused with %j', async (values, reason) => {
    const answer = await service.send('POST', '', { body: { url: ADDRESS, ...values } });
    expect(answer.json()).toMatchObject({ code: 'invalid_request', status: 400, message: expect.stringContaining(reason) });
  });

  it('are changed as RFC 7396 says', async () => {
    const { id, secret: _secret, ...first } = await service.add({ description: 'x' });
    const changes = fc.record(
      {
        url: fc.constantFrom(ADDRESS, 'https://1.1.1.1/other', 'https://1.1.1.1:8443/'),
        types: fc.option(fc.subarray(SOME_TYPES, { minLength: 1 })),
        description: fc.option(fc.constantFrom('one', 'other')),
        enabled: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    let expected: Record<string, unknown> = { id, ...first };
    await fc.assert(
      fc.asyncProperty(changes, fc.constantFrom('application/json', 'application/merge-patch+json'), async (body, type) => {
        const answer = await change(id, body, { 'content-type': type });
        const merged = Object.entries({ ...expected, ...body }).filter(([name, value]) => value !== null && name !== 'disabledReason');
        const before = JSON.stringify(expected);
        const events = (await service.historyOf(id)).length;
        expected = { types: first.types, ...Object.fromEntries(merged) };
        if (expected['enabled'] === false) expected['disabledReason'] = 'owner';
        expect(answer.json()).toEqual(expected);
        const seen = await service.send('GET', `/${id}`);
        expect([seen.text, seen.headers.etag]).toEqual([answer.text, answer.headers.etag]);
        if (before === JSON.stringify(expected)) expect(await service.historyOf(id)).toHaveLength(events);
      }),
      { numRuns: 40 },
    );
  });

  it.each(['POST', 'PATCH'])('are not quoted with a URL that %s refuses, which may hold a secret', async (method) => {
    const { id } = await service.add();
    for (const url of ['http://1.1.1.1/hidden', `https://1.1.1.1/hidden/${'a'.repeat(2_048)}`]) {
      const answer = await service.send(method, method === 'POST' ? '' : `/${id}`, { body: { url } });
      expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('url must ') });
      expect(answer.text).not.toMatch(/hidden|given/);
    }
  });

  it('are gone once they are deleted, with their secrets', async () => {
    const { id } = await service.add();
    expect(await service.secretsOf(id)).toHaveLength(1);
    expect(await service.send('DELETE', `/${id}`)).toMatchObject({ status: 204, text: '' });
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
    ] as const) {
      const answer = await service.send(method, `/${id}${path}`, method === 'PATCH' ? { body: {} } : {});
      expect(answer.json()).toMatchObject({ code: 'not_found', status: 404 });
    }
    expect(await service.secretsOf(id)).toEqual([]);
    expect(await service.historyOf(id)).toEqual(['webhook-registered', 'webhook-deleted']);
  });

  it("are listed as the key's own, page by page, under a tag that changes only with them", async () => {
    const { token } = await service.issueKey({ scopes: ['webhooks', 'events'] });
    const own = [await service.add({}, { key: token }), await service.add({}, { key: token })];
    const { id: other } = await service.add({}, { key: service.neighbour });
    own.push(await service.add({ enabled: false }, { key: token }));
    const seen: WebhookBody[] = [];
    for (let target: string | undefined = '?limit=2'; target !== undefined;) {
      const answer: Answer = await service.send('GET', target, { key: token });
      seen.push(...answer.json<WebhookBody[]>());
      target = /^<\/v1\/webhooks([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1];
    }
    expect(seen).toEqual(own.map((each) => ({ ...each, secret: undefined })));
    const tag = async (key: string) => String((await service.send('GET', '', { key })).headers.etag);
    const [mine, theirs] = [await tag(token), await tag(service.neighbour)];
    expect((await service.send('GET', '', { key: token, headers: { 'if-none-match': mine } })).status).toBe(304);
    await service.send('PATCH', `/${own[0]?.id}`, { key: token, body: { description: 'x' } });
    expect([(await tag(token)) === mine, (await tag(service.neighbour)) === theirs]).toEqual([false, true]);
    const ofNeighbour = (await service.send('GET', '', { key: service.neighbour })).json<WebhookBody[]>();
    expect(ofNeighbour.map(({ id }) => id)).toEqual([other]);
  });

  describe("to others' keys", () => {
    let id: number;
    beforeAll(async () => ({ id } = await service.add()));

    const routes = () => getServiceAdapter(service.app).routes.filter(({ template }) => template.startsWith(TEMPLATE));

    it.each<[name: string, options: RequestOptions]>([
      ['what is right', { body: {} }],
      ['no body', {}],
      ['a body of another type', { body: 'x', headers: { 'content-type': 'text/plain' } }],
      ['a precondition', { body: {}, headers: { 'if-match': '"x"' } }],
      ['an Accept without JSON', { headers: { accept: 'text/html' } }],
    ])('are not there on any path under them, with %s', async (_name, options) => {
      const [found, foreign] = [routes(), { ...options, key: service.neighbour }];
      expect(found.length).toBeGreaterThanOrEqual(9);
      expect(found.filter(({ config }) => config.admittedBy === undefined)).toEqual([]);
      for (const { method, template } of found) {
        for (const unknown of [id, 999, 0, '9223372036854775807']) {
          const target = `${template.replace(':webhookId', String(unknown))}?lost=1`;
          const answer = await service.client.send(method, target, foreign);
          expect({ method, template, status: answer.status }).toEqual({ method, template, status: 404 });
          if (method === 'HEAD') continue;
          const message = `There is no webhook endpoint with the id ${unknown}.`;
          expect(answer.json()).toEqual({ code: 'not_found', status: 404, message });
        }
      }
      expect(await service.historyOf(id)).toEqual(['webhook-registered']);
    });
  });
});
