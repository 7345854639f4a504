import { Database, identifier, sql } from '#libs/database';
import { expectEventually, SettableClock } from '#libs/testing';
import { createBackend } from '../../../test/databases/test-backend.fixture.js';
import { startService, UNLIMITED, type Service } from '../../../test/e2e/service.fixture.js';
import { DailyUsageRecorder } from '../usage/daily-usage.js';

interface Usage {
  readonly lastUsedAt?: string;
  readonly limits: { readonly day: { readonly limit: number; readonly remaining: number } };
  readonly days: readonly { readonly date: string; readonly requests: number; readonly refusals: number }[];
}

const START = new Date('2026-06-01T23:59:00.000Z');

describe('the usage of a key', () => {
  let service: Service;
  let manager: string;
  let remove: () => Promise<void>;
  let environment: Readonly<Record<string, string>>;
  const clock = new SettableClock(START);
  const open = async () => (service = await startService({ clock, environment }));
  beforeEach(async () => {
    clock.set(START);
    ({ environment, remove } = await createBackend());
    await open();
    manager = (await service.issueKey({ ...UNLIMITED, scopes: ['keys:manage'] })).token;
  });
  afterEach(async () => {
    await service.close();
    await remove();
  });

  const write = () => service.app.get(DailyUsageRecorder).flush();
  const usageOf = async (id: bigint, query = '?days=2') =>
    (await service.client.get(`/v1/keys/${id}/usage${query}`, { key: manager })).json<Usage>();
  const send = async (token: string, count: number) => {
    for (let index = 0; index < count; index += 1) await service.client.get('/v1/pets', { key: token });
  };

  it('adds up to what the limiter counts, with what it refuses beside it, day by day', async () => {
    const key = await service.issueKey({ plan: 'enterprise', perMinute: 3, perDay: 5, scopes: ['pets'] });
    const other = await service.issueKey({ scopes: ['events'] });
    await send(key.token, 5);
    // Without its scope a request counts too.
    await send(other.token, 2);
    clock.advance(60_000);
    await send(key.token, 1);
    await write();
    expect((await usageOf(key.id)).days).toEqual([
      { date: '2026-06-01', requests: 3, refusals: 2 },
      { date: '2026-06-02', requests: 1, refusals: 0 },
    ]);
    expect((await usageOf(other.id)).days.map(({ requests }) => requests)).toEqual([2, 0]);
    await expectEventually(async () => (await usageOf(key.id)).limits.day, {
      limit: 5,
      remaining: 4,
      resetAt: '2026-06-03T00:00:00.000Z',
    } as never);
    const { days } = await usageOf(key.id, '');
    expect([days.length, days[0]?.date, days.at(-1)]).toEqual([30, '2026-05-04', { date: '2026-06-02', requests: 1, refusals: 0 }]);
  });

  it('adds up over batches and restarts, also a batch that cannot be written at first', async () => {
    const key = await service.issueKey({ ...UNLIMITED, scopes: ['pets'] });
    const rename = (from: string, to: string) =>
      service.app
        .get(Database)
        .transaction((transaction) => transaction.query(sql`ALTER TABLE ${identifier(from)} RENAME TO ${identifier(to)}`));
    await send(key.token, 1);
    await write();
    await rename('api_key_daily_usage', 'out_of_reach');
    await send(key.token, 2);
    await write();
    await rename('out_of_reach', 'api_key_daily_usage');
    await send(key.token, 3);
    await write();
    await send(key.token, 4);
    await service.close();
    await open();
    expect((await usageOf(key.id)).days.at(-1)).toEqual({ date: '2026-06-01', requests: 10, refusals: 0 });
  });
});
