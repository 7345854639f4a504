import { startGraphqlService, type GraphqlService } from '../../../test/e2e/graphql.fixture.js';
import { CommandBus } from '@nestjs/cqrs';
import { ChangeApiKey, ImposeBan } from '../../auth/index.js';

interface Keys {
  readonly apiKeys: { readonly nodes: readonly { readonly name: string }[] };
}

describe('the API keys over GraphQL', () => {
  let service: GraphqlService;
  beforeAll(async () => (service = await startGraphqlService()));
  afterAll(() => service.close());

  const metadata = { actor: 'system' };
  const names = async (filter: string) => {
    const { data } = await service.ask<Keys>(`{ apiKeys(${filter}) { nodes { name } } }`);
    return data?.apiKeys.nodes.map(({ name }) => name);
  };

  it('show one key with its ban, its days and its history, and nothing of one that does not exist', async () => {
    const { id } = await service.issueKey({ name: 'Banned', owner: 'Happy Paws' });
    await service.app
      .get(CommandBus)
      .execute(new ImposeBan(id, { seconds: 60, reason: 'Too much.' }, { metadata: { actor: 'alice@shop' } }));
    const { data } = await service.ask(
      `{ apiKey(id: "${id}") { name owner status ban { until step reason } dailyUsage(days: 1) { date requests refusals }
         history { type actor } } }`,
    );
    expect(data).toEqual({
      apiKey: {
        ...{ name: 'Banned', owner: 'Happy Paws', status: 'BANNED' },
        ban: { until: '2026-06-01T12:01:00.000Z', step: 0, reason: 'Too much.' },
        dailyUsage: [{ date: '2026-06-01', requests: 0, refusals: 0 }],
        history: [
          { type: 'api-key-issued', actor: 'system' },
          { type: 'api-key-banned', actor: 'alice@shop' },
        ],
      },
    });
    expect((await service.ask('{ apiKey(id: "999") { name } }')).data).toEqual({ apiKey: null });
  });

  it('are found by state, plan, owner, name and use', async () => {
    const { id } = await service.issueKey({ name: 'Old shop', plan: 'pro', owner: 'Cats' });
    await service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'revoke', id }, { metadata }));
    expect(await names('status: REVOKED')).toEqual(['Old shop']);
    expect(await names('plan: "pro"')).toEqual(['Old shop']);
    expect(await names('owner: "Cats", name: "SHOP"')).toEqual(['Old shop']);
    expect(await names('name: "tool"')).toEqual(['tools']);
    expect(await names('usedAbove: 99')).toEqual([]);
  });
});
