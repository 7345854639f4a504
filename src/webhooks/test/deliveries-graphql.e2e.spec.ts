import { codesOf, type GraphqlAnswer } from '../../../test/e2e/graphql.fixture.js';
import { startReceiver } from '../../../test/e2e/webhook-receiver.fixture.js';
import { startWebhooks, type WebhookBody, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';

const DELIVERIES = `query ($after: String) { webhooks { nodes { id deliveries(first: 2, after: $after) {
  nodes { id eventId type attempt status error nextAttemptAt }
  pageInfo { hasNextPage endCursor }
} } } }`;

interface Deliveries {
  readonly nodes: readonly { readonly id: string; readonly status: number | null }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

interface Page {
  readonly webhooks: { readonly nodes: readonly { readonly id: string; readonly deliveries: Deliveries }[] };
}

describe('deliveries over GraphQL', () => {
  let service: WebhookService;
  let webhook: WebhookBody;
  let listed: readonly { readonly id: number; readonly eventId: string }[] = [];
  beforeAll(async () => {
    service = await startWebhooks({ polls: true, environment: { WEBHOOK_ALLOW_LOOPBACK: 'true' } });
    webhook = await service.add({ url: (await startReceiver()).url });
    for (let added = 0; added < 3; added += 1) await service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
    while (listed.length < 3) listed = (await service.send('GET', `/${webhook.id}/deliveries`)).json();
  });
  afterAll(() => service.close());

  const ask = async (key: string, variables = {}) =>
    (await service.client.post('/graphql', { query: DELIVERIES, variables }, { key })).json<GraphqlAnswer<Page>>();
  const pageOf = ({ data }: GraphqlAnswer<Page>) => data?.webhooks.nodes.find(({ id }) => id === `${webhook.id}`)?.deliveries;

  it('are those that REST lists, the newest first, page by page', async () => {
    const first = pageOf(await ask(service.tools));
    expect(first?.nodes).toMatchObject(
      listed.slice(0, 2).map(({ id, eventId }) => ({ id: `${id}`, eventId, type: 'pet.added', attempt: 1, status: 204, error: null })),
    );
    expect(first?.pageInfo.hasNextPage).toBe(true);
    const second = pageOf(await ask(service.tools, { after: first?.pageInfo.endCursor }));
    expect(second).toMatchObject({ nodes: [{ id: `${listed[2]?.id}` }], pageInfo: { hasNextPage: false } });
  });

  it('need both scopes', async () => {
    expect(codesOf(await ask(service.token))).toEqual(['insufficient_scope']);
    const answer = await service.client.post('/graphql', { query: DELIVERIES }, { key: service.owner });
    expect(answer.json()).toMatchObject({ status: 403 });
  });
});
