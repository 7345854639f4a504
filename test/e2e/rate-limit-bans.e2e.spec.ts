import { setImmediate } from 'node:timers/promises';
import { CommandBus } from '@nestjs/cqrs';
import { EventStore } from '#libs/event-sourcing';
import { SettableClock } from '#libs/testing';
import { ChangeApiKey } from '../../src/auth/index.js';
import { tamperWith } from '../databases/test-database.fixture.js';
import { createBackend, type TestBackend } from '../databases/test-backend.fixture.js';
import type { Answer } from './api-client.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
const START = Date.UTC(2026, 5, 1, 12);
const CLI = { actor: 'cli' };

describe('a key that goes on sending after 429', () => {
  let backend: TestBackend;
  let clock: SettableClock;
  let service: Service;
  let key: { id: bigint; token: string };
  beforeEach(async () => {
    backend = await createBackend();
    clock = new SettableClock(new Date(START));
    await start();
    key = await service.issueKey({ plan: 'enterprise', perMinute: 1, perDay: 1_000 });
  });
  afterEach(async () => {
    await service.close();
    await backend.remove();
  });

  const start = async () => (service = await startService({ clock, environment: backend.environment }));
  const list = (): Promise<Answer> => service.client.get(PETS, { key: key.token });
  const listed = async (count: number): Promise<Answer | undefined> => {
    let last: Answer | undefined;
    for (let sent = 0; sent < count; sent += 1) last = await list();
    return last;
  };
  /** Uses up the minute and ignores ten refusals after the grace; the next one is one too many. */
  const provoke = async (): Promise<void> => {
    await listed(2);
    clock.advance(2_000);
    await listed(10);
  };
  const banEvents = async () => {
    const events = await service.app.get(EventStore).readStream(`api-key-${key.id}`);
    return events.filter(({ type }) => type.endsWith('banned')).map(({ type, data, metadata: { actor } }) => ({ type, data, actor }));
  };
  /** The ban is recorded beside the request that it refuses; who lifts it has seen it before. */
  const untilRecorded = async (): Promise<void> => {
    while ((await banEvents()).length === 0) await setImmediate();
  };
  /** Repeats a request until it is answered with the status. */
  const until = async (status: number): Promise<Answer> => {
    for (;;) {
      const answer = await list();
      if (answer.status === status) return answer;
    }
  };

  it('is banned by the refusal that is one too many, and told until when', async () => {
    await provoke();
    const banned = await list();
    expect(banned.json()).toEqual({ code: 'key_banned', status: 429, message: expect.stringContaining('banned for 60 s') });
    expect(banned.headers).toMatchObject({
      'retry-after': '60',
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': `${(START + 62_000) / 1_000}`,
    });
    clock.advance(59_999);
    expect((await list()).headers).toMatchObject({ 'retry-after': '1' });
    clock.advance(1);
    expect((await list()).status).toBe(200);
  });

  it('has the ban in its stream, with its end and step', async () => {
    await provoke();
    await listed(5);
    clock.advance(120_000);
    await provoke();
    await list();
    await service.close();
    await start();
    expect(await banEvents()).toEqual([
      { type: 'api-key-banned', data: { until: new Date(START + 62_000).toISOString(), step: 1 }, actor: 'system' },
      { type: 'api-key-banned', data: { until: new Date(START + 424_000).toISOString(), step: 2 }, actor: 'system' },
    ]);
  });

  it('is not banned for what it sent within the grace', async () => {
    await Promise.all(Array.from({ length: 200 }, list));
    expect((await list()).json()).toMatchObject({ code: 'rate_limited' });
  });

  it('stays banned over a restart, and the ladder goes on', async () => {
    await provoke();
    await list();
    await service.close();
    await start();
    expect((await list()).json()).toMatchObject({ code: 'key_banned' });
    clock.advance(60_000);
    await provoke();
    expect((await list()).headers).toMatchObject({ 'retry-after': '300' });
  });

  it('keeps its refusals over a restart', async () => {
    await listed(2);
    clock.advance(2_000);
    await listed(6);
    await service.close();
    await start();
    await listed(4);
    expect((await list()).json()).toMatchObject({ code: 'key_banned' });
  });

  it('is served after being unbanned, and its ladder starts anew', async () => {
    await provoke();
    await list();
    await untilRecorded();
    clock.advance(10_000);
    await service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'unban', id: key.id }, { metadata: CLI }));
    clock.advance(48_000);
    await until(200);
    clock.advance(60_000);
    await provoke();
    expect((await list()).headers).toMatchObject({ 'retry-after': '60' });
    const types = (await banEvents()).map(({ type, actor }) => [type, actor]);
    expect(types.slice(0, 2)).toEqual([
      ['api-key-banned', 'system'],
      ['api-key-unbanned', 'cli'],
    ]);
  });

  it('is served after being unbanned also where the log has lost its ban, or that one was lifted before', async () => {
    const unban = () => service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'unban', id: key.id }, { metadata: CLI }));
    const loseBans = async () => {
      await tamperWith(backend.environment['DATABASE_URL'] ?? '', `DELETE FROM "events" WHERE "type" LIKE 'api-key-%banned'`);
      expect(await banEvents()).toEqual([]);
    };
    for (let times = 0; times < 2; times += 1) {
      await provoke();
      await list();
      await untilRecorded();
      await loseBans();
      await unban();
      clock.advance(58_000);
      await until(200);
      expect((await banEvents()).map(({ type }) => type)).toEqual(['api-key-unbanned']);
      await loseBans();
      clock.advance(60_000);
    }
  });

  it('keeps what it used up when it is unbanned', async () => {
    await provoke();
    await list();
    await untilRecorded();
    await service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'unban', id: key.id }, { metadata: CLI }));
    let answer = await list();
    while (answer.text.includes('key_banned')) answer = await list();
    expect(answer.json()).toMatchObject({ code: 'rate_limited' });
  });

  it('is recorded as unbanned also when there is no ban to lift', async () => {
    await service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'unban', id: key.id }, { metadata: CLI }));
    expect((await banEvents()).map(({ type }) => type)).toEqual(['api-key-unbanned']);
  });
});
