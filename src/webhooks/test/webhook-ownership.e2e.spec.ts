import type { RequestOptions } from '../../../test/e2e/api-client.fixture.js';
import { getServiceAdapter } from '../../bootstrap/configure-app.js';
import { startWebhooks, WEBHOOKS, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';

const TEMPLATE = `${WEBHOOKS}/:webhookId`;

describe("a webhook endpoint, to others' keys", () => {
  let service: WebhookService;
  let id: number;
  beforeAll(async () => {
    service = await startWebhooks();
    ({ id } = await service.add());
  });
  afterAll(() => service.close());

  const routes = () => getServiceAdapter(service.app).routes.filter(({ template }) => template.startsWith(TEMPLATE));

  it.each<[name: string, options: RequestOptions]>([
    ['what is right', { body: {} }],
    ['no body', {}],
    ['a body that is no JSON', { body: '{' }],
    ['a body that is too large', { body: 'x'.repeat(70_000) }],
    ['a body of another type', { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ['an encoded body', { body: 'x', headers: { 'content-encoding': 'gzip' } }],
    ['an unknown member', { body: { secret: 'x' } }],
    ['a precondition', { body: {}, headers: { 'if-match': '"x"' } }],
    ['an Accept without JSON', { headers: { accept: 'text/html' } }],
  ])('is not there on any path under it, with %s', async (_name, options) => {
    expect(routes().map(({ method, template }) => `${method} ${template}`)).toEqual(
      expect.arrayContaining([
        `GET ${TEMPLATE}`,
        `HEAD ${TEMPLATE}`,
        `PATCH ${TEMPLATE}`,
        `DELETE ${TEMPLATE}`,
        `POST ${TEMPLATE}/rotate-secret`,
      ]),
    );
    const foreign = { ...options, key: service.neighbour };
    for (const { method, template } of routes()) {
      for (const unknown of [id, 999, 0, -1, '9223372036854775807']) {
        const target = `${template.replace(':webhookId', String(unknown))}?lost=1`;
        const answer = await service.client.send(method, target, foreign);
        expect({ method, template, status: answer.status }).toEqual({ method, template, status: 404 });
        if (method !== 'HEAD') {
          expect(answer.json()).toEqual({
            code: 'not_found',
            status: 404,
            message: `There is no webhook endpoint with the id ${unknown}.`,
          });
        }
      }
    }
    expect(await service.historyOf(id)).toEqual(['webhook-registered']);
  });

  it('is asked for by every route below it', () => {
    expect(routes().filter(({ config }) => config.admittedBy === undefined)).toEqual([]);
  });

  it.each(['x', '01', '9223372036854775808', '1.0'])('is no endpoint at all with the id %s', async (text) => {
    expect((await service.send('GET', `/${text}`)).json()).toMatchObject({ code: 'invalid_parameter', status: 400 });
  });

  it('needs the scope, which allows nothing else', async () => {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const answer = await service.client.send(method, `${WEBHOOKS}/${id}`);
      expect(answer.json()).toMatchObject({ code: 'insufficient_scope', status: 403 });
    }
    expect((await service.client.get(WEBHOOKS, { key: null })).status).toBe(401);
    for (const elsewhere of ['/v1/pets', '/v1/store/orders', '/v1/store/inventory']) {
      expect((await service.client.get(elsewhere, { key: service.owner })).status).toBe(403);
    }
    expect((await service.client.post('/graphql', { query: '{ webhooks { nodes { id } } }' }, { key: service.owner })).status).toBe(403);
    const { token } = await service.issueKey();
    expect((await service.client.get(WEBHOOKS, { key: token })).status).toBe(403);
  });

  it('stays with its key when that is changed', async () => {
    expect((await service.send('GET', `/${id}`)).status).toBe(200);
    expect((await service.send('GET', `/${id}`, { key: service.tools })).status).toBe(404);
  });
});
