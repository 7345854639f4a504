import { QueryBus } from '@nestjs/cqrs';
import fc from 'fast-check';
import { EventStore } from '#libs/event-sourcing';
import { expectEventually, SettableClock } from '#libs/testing';
import { GetApiKey, type Limits } from '../../src/auth/index.js';
import { CallerModel, DEFAULT_BANS, type ExpectedResponse } from './limiter-model.fixture.js';
import { createBackend, type TestBackend } from '../databases/test-backend.fixture.js';
import type { Answer } from './api-client.fixture.js';
import { CountingWatch, exchangeRaw, toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
const MINUTE = 60_000;
const DAY = 86_400_000;
const ANONYMOUS = { perMinute: 3, perDay: 5 };
const PUBLIC = { perMinute: 4, perDay: 6 };
const ENVIRONMENT = {
  ANONYMOUS_REQUESTS_PER_MINUTE: `${ANONYMOUS.perMinute}`,
  ANONYMOUS_REQUESTS_PER_DAY: `${ANONYMOUS.perDay}`,
  PUBLIC_REQUESTS_PER_MINUTE: `${PUBLIC.perMinute}`,
  PUBLIC_REQUESTS_PER_DAY: `${PUBLIC.perDay}`,
  TRUST_PROXY: 'true',
};
/** Those that count in Redis do so together. */
const INSTANCES = globalThis.onServers ? 2 : 1;
const ADMITTED_STATUS = { key: 200, anonymous: 401, public: 200 } as const;
const CODES = { refused: 'rate_limited', banned: 'key_banned' } as const;

interface Caller {
  readonly kind: keyof typeof ADMITTED_STATUS;
  readonly id?: bigint;
  readonly token: string | null;
  readonly address: string;
  readonly limits: Limits;
  readonly model: CallerModel;
}

const caller = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4);
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('send' as const), caller, times: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('provoke' as const), caller }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('pass' as const), pause: fc.oneof(fc.nat(2 * MINUTE), fc.constantFrom(MINUTE, DAY)) }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('wait' as const), caller, more: fc.constantFrom(-1, 0, DAY - 1, DAY, 0) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const) }) },
);
const keyLimits = fc.record({ perMinute: fc.integer({ min: 1, max: 3 }), perDay: fc.integer({ min: 1, max: 9 }) });

describe('the limits over HTTP', () => {
  const clock = new SettableClock(new Date('2026-06-01T12:00:17.500Z'));
  const watch = new CountingWatch();
  let backend: TestBackend;
  const instances: Service[] = [];
  let networks = 0;

  const start = async () => {
    for (let count = 0; count < INSTANCES; count += 1) {
      const service = await startService({ clock, environment: { ...backend.environment, ...ENVIRONMENT } });
      watch.watch(service);
      instances.push(service);
    }
  };
  const stop = () => Promise.all(instances.splice(0).map((service) => service.close()));
  const at = (index: number) => instances[index % INSTANCES] as Service;
  const first = () => at(0);
  beforeAll(async () => {
    backend = await createBackend();
    await start();
  });
  afterAll(async () => {
    await stop();
    await backend.remove();
  });

  const callers = async (limits: readonly Limits[]): Promise<readonly Caller[]> => {
    const network = `10.${(networks += 1) >> 8}.${networks & 255}`;
    const address = `${network}.1`;
    const keys = limits.map(async (each): Promise<Caller> => {
      const { id, token } = await first().issueKey({ plan: 'enterprise', ...each });
      return { kind: 'key', id, token, address, limits: each, model: new CallerModel(DEFAULT_BANS) };
    });
    return [
      ...(await Promise.all(keys)),
      { kind: 'anonymous', token: null, address, limits: ANONYMOUS, model: new CallerModel() },
      { kind: 'anonymous', token: 'adopt_dev_wrong', address: `${network}.2`, limits: ANONYMOUS, model: new CallerModel() },
      { kind: 'public', token: null, address, limits: PUBLIC, model: new CallerModel() },
    ];
  };
  /** Requests that overlap, over all instances; the clock stands still, so that it does not matter which comes first. */
  const send = async (by: Caller, times: number): Promise<void> => {
    const now = clock.now().getTime();
    const expected = Array.from({ length: times }, () => toSeen(by, by.model.send(now, by.limits)));
    const options = { key: by.token, headers: { 'x-forwarded-for': by.address } };
    const target = by.kind === 'public' ? '/openapi.json' : PETS;
    const answers = await Promise.all(expected.map((_, index) => at(index).client.get(target, options)));
    expect(answers.map(seen).sort()).toEqual(expected.sort());
  };
  const restart = async (all: readonly Caller[]): Promise<void> => {
    await stop();
    for (const { kind, model } of all) if (kind !== 'key' && !globalThis.onServers) model.forgetAll();
    await start();
  };
  const loggedBans = async ({ id }: Caller) => {
    const events = await first()
      .app.get(EventStore)
      .readAll({ streams: [`api-key-${id}`] });
    return events.filter(({ type }) => type === 'api-key-banned').map(({ data, metadata: { actor } }) => ({ ...data, actor }));
  };

  it('are those of the model for keys, addresses and public paths, over overlapping requests, time and restarts', () =>
    watch.judge(() =>
      fc.assert(
        fc.asyncProperty(fc.tuple(keyLimits, keyLimits), fc.array(action, { minLength: 5, maxLength: 20 }), async (limits, actions) => {
          const all = await callers(limits);
          for (const step of actions) {
            const by = all['caller' in step ? step.caller : 0] as Caller;
            if (step.type === 'send') await send(by, step.times);
            if (step.type === 'pass') clock.advance(step.pause);
            if (step.type === 'wait') clock.set(new Date(by.model.endOfWait(clock.now().getTime()) + step.more));
            if (step.type === 'restart') await restart(all);
            if (step.type === 'provoke') {
              await send(by, 4);
              clock.advance(DEFAULT_BANS.grace);
              await send(by, 12);
            }
          }
          for (const key of all.filter(({ kind }) => kind === 'key')) {
            const bans = key.model.bans.map(({ until, step }) => ({ until: new Date(until).toISOString(), step, actor: 'system' }));
            await expectEventually(() => loggedBans(key), bans);
          }
        }),
        { numRuns: 4 },
      ),
    ));

  it('let exactly as many of 2,000 simultaneous requests through as the plan allows, and do not ban for them', () =>
    watch.judge(async () => {
      // The clock stands still: however slow the machine, all of them are sent before the first refusal can have been read.
      const { id, token } = await first().issueKey({ plan: 'pro' });
      clock.advance(DAY - (clock.now().getTime() % DAY) + 1);
      const request = `GET ${PETS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
      const ten = `${request}\r\n`.repeat(9) + `${request}Connection: close\r\n\r\n`;
      const exchanges = Array.from({ length: 200 }, (_, index) => exchangeRaw(at(index).origin, ten, { end: false }));
      const answers = (await Promise.all(exchanges)).flat();
      const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
      expect([answers.length, count(200), count(429)]).toEqual([2_000, 300, 1_700]);
      const remaining = answers.filter(({ status }) => status === 200).map((answer) => toldLimits(answer).remaining);
      expect(remaining.sort((left, right) => left - right)).toEqual(Array.from({ length: 300 }, (_, index) => index));
      const key = await first().app.get(QueryBus).execute(new GetApiKey(id));
      expect(key.lastBan).toBeUndefined();
    }));
});

const HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit-policy', 'ratelimit'] as const;

function toSeen({ kind }: Caller, { outcome, headers, seconds }: ExpectedResponse): string {
  const said = outcome === 'admitted' ? `${ADMITTED_STATUS[kind]}` : `429 ${CODES[outcome]} after ${seconds}`;
  return [said, ...HEADERS.map((name) => headers[name])].join(' | ');
}

function seen(answer: Answer): string {
  const { status, headers } = answer;
  const said = status === 429 ? `429 ${String(answer.json()['code'])} after ${headers['retry-after']}` : `${status}`;
  return [said, ...HEADERS.map((name) => headers[name])].join(' | ');
}
