import { codesOf, type GraphqlAnswer } from '../../../test/e2e/graphql.fixture.js';
import { ADDRESS, startWebhooks, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';

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
