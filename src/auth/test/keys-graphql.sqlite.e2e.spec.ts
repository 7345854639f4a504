import { startGraphqlService, type GraphqlService } from '../../../test/e2e/graphql.fixture.js';
import { CommandBus } from '@nestjs/cqrs';
import { ChangeApiKey } from '../commands/change-api-key.command.js';

describe('the API keys over GraphQL', () => {
  let service: GraphqlService;
  beforeAll(async () => (service = await startGraphqlService()));
  afterAll(() => service.close());

  it('show one key with its ban, its days and its history, and nothing of one that does not exist', async () => {
    const { id } = await service.issueKey({ name: 'Banned', owner: 'Happy Paws' });
    await service.app
      .get(CommandBus)
      .execute(new ChangeApiKey({ type: 'ban', id, seconds: 60, reason: 'Too much.' }, { metadata: { actor: 'alice@shop' } }));
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
});
