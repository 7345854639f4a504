import { codesOf, type GraphqlAnswer } from '../../../test/e2e/graphql.fixture.js';
import { startDeliveries, type DeliveringService, type DeliveryBody } from '../../../test/e2e/deliveries.fixture.js';
import { ADDRESS, startWebhooks, type WebhookBody, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';

const PAGE = `query ($first: Int, $after: String) { webhooks(first: $first, after: $after) {
  nodes { id url types description enabled disabledReason createdAt registeredBy }
  pageInfo { hasNextPage endCursor }
} }`;

interface Page {
  readonly webhooks: {
    readonly nodes: readonly Record<string, unknown>[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

describe('webhook endpoints over GraphQL', () => {
  let service: WebhookService;
  beforeAll(async () => (service = await startWebhooks()));
  afterAll(() => service.close());

  const ask = async (key: string, query: string, variables = {}) =>
    (await service.client.post('/graphql', { query, variables }, { key })).json<GraphqlAnswer<Page>>();

  it('are those of all keys, page by page', async () => {
    const first = await service.add({ types: ['pet.added'], description: 'ours' });
    const { id: second } = await service.add({ enabled: false }, { key: service.neighbour });
    const { data } = await ask(service.tools, PAGE, { first: 1 });
    expect(data?.webhooks.nodes).toEqual([
      {
        id: `${first.id}`,
        url: ADDRESS,
        types: ['pet.added'],
        description: 'ours',
        enabled: true,
        disabledReason: null,
        createdAt: first.createdAt,
        registeredBy: `${service.ownerId}`,
      },
    ]);
    expect(data?.webhooks.pageInfo.hasNextPage).toBe(true);
    const rest = await ask(service.tools, PAGE, { after: data?.webhooks.pageInfo.endCursor });
    expect(rest.data?.webhooks.nodes).toMatchObject([{ id: `${second}`, description: null, enabled: false, disabledReason: 'OWNER' }]);
    await service.send('DELETE', `/${first.id}`);
    expect((await ask(service.tools, PAGE)).data?.webhooks.nodes).toMatchObject([{ id: `${second}` }]);
  });

  it('need both scopes', async () => {
    expect(codesOf(await ask(service.token, PAGE))).toEqual(['insufficient_scope']);
    const answer = await service.client.post('/graphql', { query: PAGE }, { key: service.owner });
    expect(answer.json()).toMatchObject({ status: 403 });
  });

  it('have no secret to ask for', async () => {
    expect((await ask(service.tools, '{ webhooks { nodes { secret } } }')).errors?.[0]?.message).toContain('Cannot query field "secret"');
  });
});

const DELIVERIES = `query ($after: String) { webhooks { nodes { id deliveries(first: 2, after: $after) {
  nodes { id eventId type attempt status error nextAttemptAt }
  pageInfo { hasNextPage endCursor }
} } } }`;

interface Deliveries {
  readonly nodes: readonly { readonly id: string; readonly status: number | null }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

interface DeliveriesPage {
  readonly webhooks: { readonly nodes: readonly { readonly id: string; readonly deliveries: Deliveries }[] };
}

describe('deliveries over GraphQL', () => {
  let service: DeliveringService;
  let webhook: WebhookBody;
  let listed: readonly DeliveryBody[];
  beforeAll(async () => {
    service = await startDeliveries();
    webhook = await service.addEndpoint();
    for (let added = 0; added < 3; added += 1) await service.addAnyPet();
    listed = await service.untilRecorded(webhook, 3);
  });
  afterAll(() => service.close());

  const ask = async (key: string, variables = {}) =>
    (await service.client.post('/graphql', { query: DELIVERIES, variables }, { key })).json<GraphqlAnswer<DeliveriesPage>>();
  const pageOf = ({ data }: GraphqlAnswer<DeliveriesPage>) => data?.webhooks.nodes.find(({ id }) => id === `${webhook.id}`)?.deliveries;

  it('are those that REST lists, the newest first, page by page', async () => {
    const first = pageOf(await ask(service.tools));
    expect(first?.nodes).toMatchObject(
      listed.slice(0, 2).map(({ id, eventId }) => ({ id: `${id}`, eventId, type: 'pet.added', attempt: 1, status: 204, error: null })),
    );
    expect(first?.pageInfo.hasNextPage).toBe(true);
    const second = pageOf(await ask(service.tools, { after: first?.pageInfo.endCursor }));
    expect(second).toMatchObject({ nodes: [{ id: `${listed[2]?.id}` }], pageInfo: { hasNextPage: false } });
  });
});
