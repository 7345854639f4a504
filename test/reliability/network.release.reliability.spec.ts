import { setTimeout as delay } from 'node:timers/promises';
import { UnjudgedError, until } from '#libs/testing';
import type { RequestOptions } from '../e2e/api-client.fixture.js';
import { checkHistory } from './history/check-history.js';
import { isUnanswered, stopAll } from './history/clients.fixture.js';
import { queryDatabase } from './history/final-state.fixture.js';
import { OrderingClients } from './history/ordering-clients.fixture.js';
import { RecordingClients } from './history/recording-clients.fixture.js';
import { describeOnHosts } from './network/host-network.fixture.js';
import { startTwoInstances, type HostedInstance, type TwoInstances } from './network/two-instances.fixture.js';
import { stateAtRest } from './system/crash-run.fixture.js';
import { IS_LONG, randomBetween } from './system/run-form.js';
import { expectNoViolations, readinessOf } from './system/system-under-test.fixture.js';

const CLIENTS = 3;
const ACKNOWLEDGED = IS_LONG ? 3_000 : 60;
const CUTS = IS_LONG ? 20 : 2;
const CUT_MILLISECONDS = IS_LONG ? 20_000 : 4_000;
const REFUSED_IN_A_CUT = 20;
const KEYS = 4;
const ADDRESSES = IS_LONG ? 250 : 60;
const PER_MINUTE = 40;
const ASKED = 60;
const ENVIRONMENT = {
  ...{ BAN_AFTER: '0', ANONYMOUS_REQUESTS_PER_MINUTE: String(PER_MINUTE), TRUST_PROXY: '1' },
  // So that orders expire while an instance is cut off.
  ORDER_RESERVATION_MINUTES: '0.05',
};

describeOnHosts('two instances on hosts whose ways to PostgreSQL and Redis take 20 ms and lose 1 % of all packets', () => {
  let two: TwoInstances;
  beforeEach(async () => (two = await startTwoInstances(ENVIRONMENT)));

  /** Clients of each instance, which read at the other one what they have added. */
  const use = () => {
    const [first, second] = two.instances;
    const { key } = two.system;
    const load = [
      new RecordingClients(CLIENTS, { origin: first.origin, readOrigin: second.origin, key, prefix: '1-' }),
      new RecordingClients(CLIENTS, { origin: second.origin, readOrigin: first.origin, key, prefix: '2-' }),
    ] as const;
    const ordering = two.instances.map(
      ({ origin }, index) => new OrderingClients(CLIENTS, { origin, key, prefix: `ordered ${index + 1}-` }),
    );
    const acknowledgeMore = (count: number) => Promise.all(load.map((clients) => clients.acknowledgeMore(count)));
    const conclude = async (name: string) => {
      const history = await stopAll([...load, ...ordering]);
      const state = await stateAtRest(two.system);
      expectNoViolations(`network, ${name}`, checkHistory(history, state), two.system, history);
      expect([...history.adds, ...history.orders].filter(isUnanswered)).toEqual([]);
      return state;
    };
    return { load, acknowledgeMore, conclude };
  };

  it('lose nothing that was acknowledged, keep its order and show it at once at the other instance', async () => {
    const { acknowledgeMore, conclude } = use();
    await acknowledgeMore(ACKNOWLEDGED);
    await conclude('loss');
  });

  it('lose nothing and are back where one was cut off, which said so while the other went on and let each order expire once', async () => {
    const { load, acknowledgeMore, conclude } = use();
    for (let round = 0; round < CUTS; round += 1) {
      await acknowledgeMore(randomBetween(5, 10));
      await delay(randomBetween(0, 200));
      const index = round % 2;
      const [cutOff, other] = [two.instances[index], two.instances[1 - index]] as [HostedInstance, HostedInstance];
      const [refused, served] = [load[index], load[1 - index]] as [RecordingClients, RecordingClients];
      const cutAt = performance.now();
      await Promise.all([cutOff.toPostgres.cut(), cutOff.toRedis.cut()]);
      const enough = refused.unavailable + REFUSED_IN_A_CUT;
      await until(() => refused.unavailable >= enough);
      expect(await readinessOf(cutOff)).toMatchObject({ isReady: false });
      await served.acknowledgeMore(20);
      await until(async () => (await readinessOf(other)).isReady);
      await delay(Math.max(0, CUT_MILLISECONDS - (performance.now() - cutAt)));
      await Promise.all([cutOff.toPostgres.mend(), cutOff.toRedis.mend()]);
      await Promise.all(two.instances.map((instance) => until(async () => (await readinessOf(instance)).isWhole)));
      await acknowledgeMore(1);
    }
    const { events } = await conclude('one cut off');
    if (!events.some(({ type }) => type === 'order-expired')) throw new UnjudgedError('No order expired.');
  });

  it('leave no session behind where one vanished with its machine', async () => {
    const [vanished, other] = two.instances;
    const { toPostgres, toRedis } = vanished;
    const sessions = async (): Promise<number> => {
      const statement = `SELECT 1 FROM pg_stat_activity WHERE client_addr << set_masklen(inet '${toPostgres.address}', 30)`;
      return (await queryDatabase(two.system.databaseUrl, statement)).length;
    };
    expect((await vanished.client.get('/v1/pets')).status).toBe(200);
    expect(await sessions()).toBeGreaterThan(0);
    await Promise.all([toPostgres.cut(), toRedis.cut(), vanished.stop('SIGKILL')]);
    await until(async () => (await sessions()) === 0);
    await until(async () => (await other.client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status === 201);
  });

  /** Asks both instances for more than a caller may have, all at once; gives how often it was let through. */
  const exhaust = async (nextCaller: () => RequestOptions | Promise<RequestOptions>): Promise<number> => {
    const clients = two.instances.map(({ client }) => client);
    for (;;) {
      const caller = await nextCaller();
      const asked = Array.from({ length: ASKED / clients.length }, () => clients.map((client) => client.get('/v1/pets', caller))).flat();
      const answers = await Promise.all(asked);
      // Two minutes allow twice as many, and what was asked in the second one is spent: another caller begins with all of it.
      const minutes = new Set(answers.map(({ headers }) => headers['x-ratelimit-reset']));
      if (minutes.size === 1) return answers.filter(({ status }) => status !== 429).length;
    }
  };

  const issueKey = async (): Promise<string> => {
    const words = `keys create --name limited --plan enterprise --scopes pets --per-minute ${PER_MINUTE} --per-day 1000`;
    return (JSON.parse((await two.system.command(...words.split(' '))).stdout) as { key: string }).key;
  };

  const countTogether = () =>
    until(async () => {
      const all = await Promise.all(two.instances.map(readinessOf));
      return all.every(({ parts }) => parts['counting']?.state === 'ready');
    });

  it('let a caller through exactly as often as it may, however its requests to both overlap', async () => {
    await countTogether();
    const said = two.instances.map((instance) => instance.output().length);
    let addresses = 0;
    const nextAddress = () => ({ key: null, headers: { 'x-forwarded-for': `198.18.0.${(addresses += 1)}` } });
    const admitted: number[] = [];
    for (let key = 0; key < KEYS; key += 1) admitted.push(await exhaust(async () => ({ key: await issueKey() })));
    for (let address = 0; address < ADDRESSES; address += 1) admitted.push(await exhaust(nextAddress));
    // An instance that gave Redis up for the last caller may say so after its answers.
    await countTogether();
    const outputs = two.instances.map((instance, index) => instance.output().slice(said[index]));
    // What is busy beside may hold up an instance for longer than it waits for Redis. One that gives up for a lost packet does so each time.
    if (outputs.some((output) => output.includes('counts requests by itself'))) {
      throw new UnjudgedError('An instance gave Redis up, so that both did not count together.');
    }
    expect(admitted).toEqual(Array(KEYS + ADDRESSES).fill(PER_MINUTE));
  });
});
