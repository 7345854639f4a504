import { startDeliveries, type DeliveringService } from '../../../test/e2e/deliveries.fixture.js';
import { codesOf, type GraphqlAnswer } from '../../../test/e2e/graphql.fixture.js';

const QUERY = `query ($first: Int, $after: String, $older: String) { webhooks(first: $first, after: $after) {
  nodes { id url types description enabled disabledReason createdAt registeredBy deliveries(first: 2, after: $older) {
    nodes { id eventId type attempt status error nextAttemptAt }
    pageInfo { hasNextPage endCursor }
  } }
  pageInfo { hasNextPage endCursor }
} }`;

interface Connection<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

interface Found {
  readonly webhooks: Connection<{ readonly id: string; readonly deliveries: Connection<{ readonly id: string }> }>;
}

describe('webhook endpoints over GraphQL', () => {
  let service: DeliveringService;
  beforeAll(async () => (service = await startDeliveries()));
  afterAll(() => service.close());

  const ask = async (key: string, variables = {}, query = QUERY) =>
    (await service.client.post('/graphql', { query, variables }, { key })).json<GraphqlAnswer<Found>>();

  it('are those of all keys with the deliveries that REST lists, the newest first, page by page', async () => {
    const own = await service.addEndpoint({ types: ['pet.added'], description: 'ours' });
    const { id: other } = await service.addEndpoint({ enabled: false }, { key: service.neighbour });
    for (let added = 0; added < 3; added += 1) await service.addAnyPet();
    const listed = await service.untilRecorded(own, 3);
    const { data } = await ask(service.tools, { first: 1 });
    const deliveries = data?.webhooks.nodes[0]?.deliveries;
    const { createdAt } = own;
    const shown = { url: service.receiver.url, types: ['pet.added'], description: 'ours', enabled: true, disabledReason: null, createdAt };
    expect(data?.webhooks.nodes).toEqual([{ id: `${own.id}`, registeredBy: `${service.ownerId}`, ...shown, deliveries }]);
    expect(deliveries?.nodes).toMatchObject(
      listed.slice(0, 2).map(({ id, eventId }) => ({ id: `${id}`, eventId, type: 'pet.added', attempt: 1, status: 204, error: null })),
    );
    expect([data?.webhooks.pageInfo.hasNextPage, deliveries?.pageInfo.hasNextPage]).toEqual([true, true]);
    const older = await ask(service.tools, { first: 1, older: deliveries?.pageInfo.endCursor });
    expect(older.data?.webhooks.nodes[0]?.deliveries).toMatchObject({
      nodes: [{ id: `${listed[2]?.id}` }],
      pageInfo: { hasNextPage: false },
    });
    const rest = await ask(service.tools, { after: data?.webhooks.pageInfo.endCursor });
    expect(rest.data?.webhooks.nodes).toMatchObject([{ id: `${other}`, description: null, enabled: false, disabledReason: 'OWNER' }]);
    await service.send('DELETE', `/${own.id}`);
    expect((await ask(service.tools)).data?.webhooks.nodes).toMatchObject([{ id: `${other}` }]);
  });

  it('need both scopes, and have no secret to ask for', async () => {
    expect(codesOf(await ask(service.token))).toEqual(['insufficient_scope']);
    expect(await ask(service.owner)).toMatchObject({ status: 403 });
    const { errors } = await ask(service.tools, {}, '{ webhooks { nodes { secret } } }');
    expect(errors?.[0]?.message).toContain('Cannot query field "secret"');
  });
});
