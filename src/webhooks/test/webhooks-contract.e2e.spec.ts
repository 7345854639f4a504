import fc from 'fast-check';
import { EventStore } from '#libs/event-sourcing';
import type { RequestOptions } from '../../../test/e2e/api-client.fixture.js';
import { fitsSchema } from '../../../test/e2e/openapi-contract.fixture.js';
import { ADDRESS, startWebhooks, WEBHOOKS, type WebhookBody, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';
import { WebhookReader } from '../read-model/webhook.reader.js';

const LARGE = 'x'.repeat(70_000);
const BODY = { url: ADDRESS };

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(' ', '\u0000', '\ud800', '\ufeff', '🐈'.repeat(1_000), 'a'.repeat(1_001)),
);
const anything = fc.oneof(texts, fc.integer(), fc.constantFrom(null, true, 1.5, [], {}, ['a'], { a: 1 }));
/** Mostly of the right type, seldom of any. */
const mostly = (values: fc.Arbitrary<unknown>) => fc.oneof({ weight: 8, arbitrary: values }, anything);
// What the document leaves open: that there are such types and that the address may be called.
const addresses = fc.constantFrom(ADDRESS, 'https://1.1.1.1:8443/a?b=c', `https://1.1.1.1/${'a'.repeat(2_032)}`);
const types = fc.array(fc.constantFrom('pet.added', 'order.placed', 'pet.withdrawn'), { maxLength: 3 });
const members = { url: mostly(addresses), types: mostly(types), description: mostly(texts), enabled: mostly(fc.boolean()) };
const isOpen = (body: unknown): boolean => {
  const { url, types: named } = (body ?? {}) as { url?: unknown; types?: unknown };
  const isKnown = (name: unknown) => ['pet.added', 'order.placed', 'pet.withdrawn'].includes(String(name));
  return (typeof url === 'string' && !url.startsWith('https://1.1.1.1')) || (Array.isArray(named) && !named.every(isKnown));
};
const bodyOf = (requiredKeys: 'url'[]) =>
  fc
    .oneof(
      { weight: 8, arbitrary: fc.record(members, { requiredKeys }) },
      fc.record({ ...members, extra: anything }, { requiredKeys: ['extra'] }),
      fc.constantFrom(null, [], 'text', 7, {}),
    )
    .filter((body) => !isOpen(body));

/** Every answer is compared with the document by the client that sends the request. */
describe('the webhook endpoints and the OpenAPI document', () => {
  let service: WebhookService;
  let id: number;
  beforeAll(async () => {
    service = await startWebhooks({ environment: { WEBHOOKS_PER_KEY: '10000' } });
    ({ id } = await service.add());
  });
  afterAll(() => service.close());

  /** The body as JSON: a text by itself is sent as it is. */
  const send = async (method: string, path: string, body: unknown) =>
    (await service.send(method, path, { body: JSON.stringify(body) })).status;

  it('agree on what a new endpoint may say', async () => {
    await fc.assert(
      fc.asyncProperty(bodyOf(['url']), async (body) => {
        expect(await send('POST', '', body)).toBe(fitsSchema('NewWebhook', body) ? 201 : 400);
      }),
      { numRuns: 200 },
    );
  });

  it('agree on how an endpoint may be changed', async () => {
    await fc.assert(
      fc.asyncProperty(bodyOf([]), async (body) => {
        expect(await send('PATCH', `/${id}`, body)).toBe(fitsSchema('WebhookChanges', body) ? 200 : 400);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[status: number, method: string, path: string, options: RequestOptions]>([
    [200, 'HEAD', '?limit=1', {}],
    [304, 'GET', '', { headers: { 'if-none-match': '*' } }],
    [412, 'GET', '', { headers: { 'if-match': '"x"' } }],
    [400, 'GET', '?limit=0', {}],
    [400, 'GET', '?enabled=true', {}],
    [400, 'GET', '?cursor=x', {}],
    [406, 'GET', '', { headers: { accept: 'text/html' } }],
    [204, 'OPTIONS', '', {}],
    [405, 'DELETE', '', {}],
    [401, 'POST', '', { key: null, body: BODY }],
    [400, 'POST', '', {}],
    [400, 'POST', '?x=1', { body: BODY }],
    [400, 'POST', '', { body: BODY, headers: { 'idempotency-key': 'a'.repeat(256) } }],
    [201, 'POST', '', { body: BODY, headers: { 'idempotency-key': 'a' } }],
    [201, 'POST', '', { body: BODY, headers: { 'idempotency-key': 'a' } }],
    [422, 'POST', '', { body: { ...BODY, enabled: false }, headers: { 'idempotency-key': 'a' } }],
    [413, 'POST', '', { body: LARGE }],
    [415, 'POST', '', { body: '{}', headers: { 'content-type': 'application/merge-patch+json' } }],
    [200, 'HEAD', '/1', {}],
    [304, 'GET', '/1', { headers: { 'if-none-match': '*' } }],
    [412, 'GET', '/1', { headers: { 'if-match': 'W/"x"' } }],
    [404, 'GET', '/9223372036854775807', {}],
    [400, 'GET', '/x', {}],
    [400, 'GET', '/1?x=1', {}],
    [404, 'GET', '/1/', {}],
    [200, 'PATCH', '/1', { body: {}, headers: { 'content-type': 'application/merge-patch+json' } }],
    [400, 'PATCH', '/1', {}],
    [400, 'PATCH', '/1', { body: '{' }],
    [400, 'PATCH', '/x', { body: {} }],
    [404, 'PATCH', '/999999', { body: {} }],
    [412, 'PATCH', '/1', { body: {}, headers: { 'if-match': '"x"' } }],
    [413, 'PATCH', '/1', { body: LARGE }],
    [415, 'PATCH', '/1', { body: '{}', headers: { 'content-type': 'text/plain' } }],
    [417, 'PATCH', '/1', { body: {}, headers: { expect: 'tea' } }],
    [400, 'DELETE', '/1?reason=x', {}],
    [404, 'DELETE', '/999999', {}],
    [412, 'DELETE', '/1', { headers: { 'if-match': '"x"' } }],
    [405, 'PUT', '/1', {}],
    [204, 'OPTIONS', '/1', {}],
    [200, 'POST', '/1/rotate-secret', {}],
    [200, 'POST', '/1/rotate-secret?grace=0s', {}],
    [400, 'POST', '/1/rotate-secret?grace=x', {}],
    [400, 'POST', '/1/rotate-secret?grace=1h&grace=1h', {}],
    [404, 'POST', '/999999/rotate-secret', {}],
    [405, 'GET', '/1/rotate-secret', {}],
    [204, 'OPTIONS', '/1/rotate-secret', {}],
    [204, 'DELETE', '/1', {}],
    [404, 'DELETE', '/1', {}],
  ])('agree on %i for %s %s with %j', async (status, method, path, options) => {
    expect((await service.client.send(method, WEBHOOKS + path, { key: service.owner, ...options })).status).toBe(status);
  });

  it('send events from the log position at which the endpoint was registered or enabled last', async () => {
    const endpoint = (await service.add({ enabled: false })).id;
    const startsAfter = async () => (await service.app.get(WebhookReader, { strict: false }).get(BigInt(endpoint))).startsAfter;
    const positionOf = async (type: string) => {
      const events = await service.app.get(EventStore).readStream(`webhook-${endpoint}`);
      return events.findLast((event) => event.type === type)?.position;
    };
    const change = async (body: Partial<WebhookBody>) => (await service.send('PATCH', `/${endpoint}`, { body })).status;
    expect(await startsAfter()).toBe(await positionOf('webhook-registered'));
    await change({ description: 'x' });
    expect(await startsAfter()).toBe(await positionOf('webhook-registered'));
    for (let times = 1; times <= 2; times += 1) {
      await change({ enabled: true, description: String(times) });
      const enabledAt = await positionOf('webhook-enabled');
      expect(await startsAfter()).toBe(enabledAt);
      await change({ enabled: false });
      await service.send('POST', `/${endpoint}/rotate-secret`);
      expect(await startsAfter()).toBe(enabledAt);
    }
  });
});
