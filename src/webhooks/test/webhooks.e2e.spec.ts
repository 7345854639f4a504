import fc from 'fast-check';
import { ADDRESS, startWebhooks, WEBHOOKS, type WebhookBody, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';

const SOME_TYPES = [
  'order.placed',
  'order.approved',
  'order.delivered',
  'order.cancelled',
  'order.expired',
  'pet.added',
  'pet.corrected',
  'pet.status_changed',
  'pet.withdrawn',
];

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
    expect(all.text).toContain(`{"id":${id},"url":"${ADDRESS}",`);
    expect(rest).toEqual({ url: ADDRESS, enabled: true, createdAt: service.clock.now().toISOString() });
    expect(types).toEqual(expect.arrayContaining(SOME_TYPES));
    expect(Buffer.from(/^whsec_(.+)$/.exec(secret ?? '')?.[1] ?? '', 'base64')).toHaveLength(32);
    const some = await service.add({ types: ['pet.added', 'order.placed'], description: ' ours ', enabled: false });
    expect(some).toMatchObject({
      types: ['pet.added', 'order.placed'],
      description: ' ours ',
      enabled: false,
      disabledReason: 'owner',
    });
    expect(some.secret).not.toBe(secret);
    expect(await read(some.id)).toEqual({ ...some, secret: undefined });
    expect(await service.historyOf(some.id)).toEqual(['webhook-registered', 'webhook-disabled']);
  });

  it.each([
    [{ url: undefined }, 'url is missing: it must be a string of 1 to 2048'],
    [{ url: `https://1.1.1.1/${'a'.repeat(2_033)}` }, 'url must be a string of 1 to 2048'],
    [{ url: '1.1.1.1/a' }, 'url must be an absolute https address'],
    [{ url: 'http://1.1.1.1/a' }, 'url must begin with https://'],
    [{ url: 'https://me:secret@1.1.1.1/' }, 'url must not contain a user name'],
    [{ url: 'https://1.1.1.1/#' }, 'url must not have a fragment'],
    [{ url: 'https://1.1.1.1:444/' }, 'url must use port 443 or 8443, not 444'],
    [{ types: [] }, 'types must be an array'],
    [{ types: ['pet.added', 'pet.added'] }, 'types must be an array'],
    [{ types: 'pet.added' }, 'types must be an array'],
    [{ types: [7] }, 'types must be an array'],
    [{ types: null }, 'types must be an array'],
    [{ types: ['pet.added', 'pet-added'] }, 'types must be among '],
    [{ description: null }, 'description must be a string of 1 to 1000'],
    [{ description: 'a'.repeat(1_001) }, 'description must be a string of 1 to 1000'],
    [{ description: 'a\u0000' }, 'description must be without U+0000'],
    [{ enabled: 'true' }, 'enabled must be true or false'],
    [{ enabled: null }, 'enabled must be true or false'],
    [{ id: 7 }, '"id" is not a field of a new webhook endpoint'],
  ])('are refused with %j', async (values, reason) => {
    const answer = await service.send('POST', '', { body: { url: ADDRESS, ...values } });
    const { message, ...rest } = answer.json<{ message: string }>();
    expect(rest).toEqual({ code: 'invalid_request', status: 400, errors: expect.any(Array) });
    expect(message).toContain(reason);
  });

  it('are refused with all that is wrong with them at once', async () => {
    const { message } = (await service.send('POST', '', { body: { url: 'x', types: ['x'], description: '', enabled: 1 } })).json();
    for (const field of ['url', 'types', 'description', 'enabled']) expect(message).toMatch(new RegExp(`(?:^|; )${field} must`));
  });

  it('are changed as RFC 7396 says', async () => {
    const { id, secret: _secret, ...first } = await service.add({ description: 'x' });
    const some = fc.subarray(SOME_TYPES, { minLength: 1 });
    const changes = fc.record(
      {
        url: fc.constantFrom(ADDRESS, 'https://1.1.1.1/other', 'https://1.1.1.1:8443/'),
        types: fc.option(some),
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
        expected = { types: first.types, ...Object.fromEntries(merged) };
        if (expected['enabled'] === false) expected['disabledReason'] = 'owner';
        expect(answer.json()).toEqual(expected);
        const seen = await service.send('GET', `/${id}`);
        expect([seen.text, seen.headers.etag]).toEqual([answer.text, answer.headers.etag]);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [{ url: null }, 'url must be'],
    [{ enabled: null }, 'enabled must be'],
    [{ types: [] }, 'types must be'],
    [{ types: ['lost'] }, 'types must be among'],
    [{ description: '' }, 'description must be'],
    [{ url: 'ftp://1.1.1.1' }, 'url must begin'],
    [{ secret: 'whsec_' }, '"secret" is not a field of a change of a webhook endpoint'],
  ])('stay as they are when %j is asked for', async (body, reason) => {
    const { id } = await service.add();
    const answer = await change(id, body);
    expect(answer.json()).toMatchObject({ code: 'invalid_request', status: 400 });
    expect(answer.json<{ message: string }>().message).toContain(reason);
    expect(await service.historyOf(id)).toEqual(['webhook-registered']);
  });

  it('write nothing if nothing changes, and are turned off and on', async () => {
    const { id, url, types } = await service.add({ types: ['pet.added'] });
    await change(id, { url, types, enabled: true });
    expect(await service.historyOf(id)).toEqual(['webhook-registered']);
    expect((await change(id, { enabled: false })).json()).toMatchObject({ enabled: false, disabledReason: 'owner' });
    expect((await change(id, { enabled: true })).json()).not.toHaveProperty('disabledReason');
    expect(await service.historyOf(id)).toEqual(['webhook-registered', 'webhook-disabled', 'webhook-enabled']);
  });

  it('are changed and deleted under a precondition', async () => {
    const { id } = await service.add();
    const { etag = '' } = (await service.send('GET', `/${id}`)).headers;
    for (const method of ['PATCH', 'DELETE']) {
      const refused = await service.send(method, `/${id}`, { body: {}, headers: { 'if-match': '"x"' } });
      expect(refused).toMatchObject({ status: 412, headers: { etag } });
    }
    const changed = await change(id, { description: 'new' }, { 'if-match': etag });
    expect(changed.status).toBe(200);
    expect((await service.send('DELETE', `/${id}`, { headers: { 'if-match': etag } })).status).toBe(412);
    expect((await service.send('DELETE', `/${id}`, { headers: { 'if-match': changed.headers.etag ?? '' } })).status).toBe(204);
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
      expect((await service.send(method, `/${id}${path}`, method === 'PATCH' ? { body: {} } : {})).json()).toMatchObject({
        code: 'not_found',
        status: 404,
      });
    }
    expect(await service.secretsOf(id)).toEqual([]);
    expect(await service.historyOf(id)).toEqual(['webhook-registered', 'webhook-deleted']);
  });
});

describe('the list of webhook endpoints', () => {
  let service: WebhookService;
  beforeAll(async () => (service = await startWebhooks()));
  afterAll(() => service.close());

  it("has the key's own, page by page, and changes its tag with them", async () => {
    const own = [await service.add(), await service.add()];
    const { id: other } = await service.add({}, { key: service.neighbour });
    own.push(await service.add({ enabled: false }));
    const seen: WebhookBody[] = [];
    for (let target: string | undefined = '?limit=2'; target !== undefined;) {
      const answer = await service.send('GET', target);
      seen.push(...answer.json<WebhookBody[]>());
      target = /^<\/v1\/webhooks([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1];
    }
    expect(seen).toEqual(own.map((each) => ({ ...each, secret: undefined })));
    const [mine, theirs] = [await service.send('GET'), await service.send('GET', '', { key: service.neighbour })];
    expect(theirs.json<WebhookBody[]>().map(({ id }) => id)).toEqual([other]);
    expect((await service.send('GET', '', { headers: { 'if-none-match': mine.headers.etag ?? '' } })).status).toBe(304);
    await service.send('PATCH', `/${own[0]?.id}`, { body: { description: 'x' } });
    expect((await service.send('GET', '', { headers: { 'if-none-match': mine.headers.etag ?? '' } })).status).toBe(200);
    expect((await service.send('GET', '', { key: service.neighbour })).headers.etag).toBe(theirs.headers.etag);
  });
});
