import { startDeliveries, type DeliveringService } from '../../../test/e2e/deliveries.fixture.js';
import { codesOf, type GraphqlAnswer } from '../../../test/e2e/graphql.fixture.js';

const QUERY = `query ($first: Int, $older: String) { webhooks(first: $first) {
  nodes { id url types description enabled disabledReason createdAt registeredBy deliveries(first: 2, after: $older) {
    nodes { id eventId type attempt status error nextAttemptAt }
    pageInfo { hasNextPage endCursor }
  } }
} }`;

interface Deliveries {
  readonly nodes: readonly object[];
  readonly pageInfo: { readonly endCursor: string | null };
}

interface Found {
  readonly webhooks: { readonly nodes: readonly { readonly deliveries: Deliveries }[] };
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
    const { data } = await ask(service.tools);
    const [first, second] = data?.webhooks.nodes ?? [];
    const { createdAt } = own;
    const shown = { url: service.receiver.url, types: ['pet.added'], description: 'ours', enabled: true, disabledReason: null, createdAt };
    expect(first).toEqual({ id: `${own.id}`, registeredBy: `${service.ownerId}`, ...shown, deliveries: first?.deliveries });
    expect(second).toMatchObject({ id: `${other}`, description: null, enabled: false, disabledReason: 'OWNER' });
    const deliveries = listed.map(({ id, eventId }) => ({ id: `${id}`, eventId, type: 'pet.added', attempt: 1, status: 204, error: null }));
    expect(first?.deliveries).toMatchObject({ nodes: deliveries.slice(0, 2), pageInfo: { hasNextPage: true } });
    const older = await ask(service.tools, { first: 1, older: first?.deliveries.pageInfo.endCursor });
    expect(older.data?.webhooks.nodes[0]?.deliveries).toMatchObject({ nodes: deliveries.slice(2), pageInfo: { hasNextPage: false } });
  });

  it('are found as those that fail, from the first failed attempt to the next that succeeds', async () => {
    const failing =
      '{ yes: webhooks(filter: { failing: true }) { totalCount nodes { nodeId } } no: webhooks(filter: { failing: false }) { totalCount } }';
    const closed = await service.addEndpoint({ url: 'http://127.0.0.1:1/closed', types: ['pet.added'] });
    await service.addAnyPet();
    await service.untilRecorded(closed, 1);
    const found = { yes: { totalCount: 1, nodes: [{ nodeId: `webhook-${closed.id}` }] }, no: { totalCount: 2 } };
    expect((await ask(service.tools, {}, failing)).data).toEqual(found);
    await service.send('PATCH', `/${closed.id}`, { body: { enabled: false } });
    expect((await ask(service.tools, {}, failing)).data).toMatchObject({ yes: { totalCount: 0 }, no: { totalCount: 3 } });
  });

  it('are found by their stream, for keys with the scope', async () => {
    const query =
      '{ node(id: "webhook-1") { nodeId ... on Webhook { id enabled } } none: node(id: "webhook-99") { nodeId } other: node(id: "me-1") { nodeId } }';
    expect((await ask(service.tools, {}, query)).data).toEqual({
      node: { nodeId: 'webhook-1', id: '1', enabled: true },
      none: null,
      other: null,
    });
    const refused = await ask(service.token, {}, '{ node(id: "webhook-1") { nodeId } }');
    expect([refused.data, codesOf(refused)]).toEqual([{ node: null }, ['insufficient_scope']]);
  });

  it('have a history as everything that is found by its stream, without secrets', async () => {
    const { id } = await service.addEndpoint({ types: ['pet.added'] });
    await service.send('PATCH', `/${id}`, { body: { enabled: false } });
    const query = `{ webhook(id: ${id}) { history(first: 1) { version type } }
      node(id: "webhook-${id}") { history { stream type data } ... on Webhook { last: history(first: 1, order: NEWEST_FIRST) { type } } } }`;
    const { data, errors } = await ask(service.tools, {}, query);
    expect(errors).toBeUndefined();
    const stream = `webhook-${id}`;
    expect(data).toEqual({
      webhook: { history: [{ version: 1, type: 'webhook-registered' }] },
      node: {
        history: [
          { stream, type: 'webhook-registered', data: { registeredBy: `${service.ownerId}`, types: ['pet.added'] } },
          { stream, type: 'webhook-disabled', data: { reason: 'owner' } },
        ],
        last: [{ type: 'webhook-disabled' }],
      },
    });
  });

  it('need both scopes, and have no secret to ask for', async () => {
    expect(codesOf(await ask(service.token))).toEqual(['insufficient_scope']);
    expect(await ask(service.owner)).toMatchObject({ status: 403 });
    const { errors } = await ask(service.tools, {}, '{ webhooks { nodes { secret } } }');
    expect(errors?.[0]?.message).toContain('Cannot query field "secret"');
  });
});
