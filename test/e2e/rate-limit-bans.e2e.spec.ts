import { CommandBus } from '@nestjs/cqrs';
import { EventStore } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { ChangeApiKey, type ApiKeyChange } from '../../src/auth/index.js';
import type { Answer } from './api-client.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

describe('what an operator changes of the limits of a key', () => {
  let service: Service;
  let key: { id: bigint; token: string };
  beforeAll(async () => {
    service = await startService({ environment: { BAN_AFTER: '1', BAN_GRACE_SECONDS: '0' } });
  });
  beforeEach(async () => {
    service.clock.set('2026-06-01T12:00:00.000Z');
    key = await service.issueKey({ plan: 'enterprise', perMinute: 1, perDay: 1_000 });
  });
  afterAll(() => service.close());

  const list = (): Promise<Answer> => service.client.get('/v1/pets', { key: key.token });
  const change = (values: ApiKeyChange) => service.app.get(CommandBus).execute(new ChangeApiKey(values, { metadata: { actor: 'cli' } }));
  const banEvents = async () => {
    const events = await service.app.get(EventStore).readStream(`api-key-${key.id}`);
    return events.filter(({ type }) => type.endsWith('banned')).map(({ type, metadata: { actor } }) => [type, actor]);
  };
  /** The ban is recorded beside the request that it refuses; who lifts it has seen it before. */
  const provoke = async (): Promise<void> => {
    const answers = [await list(), await list(), await list()];
    expect(answers.map((answer) => answer.headers['retry-after'])).toEqual([undefined, '60', '60']);
    expect((await list()).json()).toMatchObject({ code: 'key_banned' });
    await until(async () => (await banEvents()).length > 0);
  };

  it('ends a ban without giving back what was used up, and begins its ladder again', async () => {
    await provoke();
    await change({ type: 'unban', id: key.id });
    await until(async () => (await list()).json()['code'] === 'rate_limited');
    service.clock.advance(60_000);
    await until(async () => (await list()).status === 200);
    service.clock.advance(60_000);
    await provoke();
    expect((await banEvents()).slice(0, 2)).toEqual([
      ['api-key-banned', 'system'],
      ['api-key-unbanned', 'cli'],
    ]);
  });

  it('is a plan, to which what is used up carries over', async () => {
    const { id, token } = await service.issueKey({ plan: 'enterprise', perMinute: 200, perDay: 200 });
    let sent = 0;
    const send = async () => {
      sent += 1;
      return toldLimits(await service.client.get('/v1/pets', { key: token }));
    };
    await send();
    service.clock.advance(60_000);
    await send();
    await change({ type: 'update', id, changes: { plan: 'pro' } });
    const told = await until(async () => {
      const next = await send();
      return next.limit === 300 && next;
    });
    expect(told).toMatchObject({ remaining: 301 - sent, day: { limit: 10_000, remaining: 10_000 - sent } });
  });
});
