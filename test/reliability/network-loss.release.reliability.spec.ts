import { UnjudgedError, until } from '#libs/testing';
import type { RequestOptions } from '../e2e/api-client.fixture.js';
import { checkHistory } from './history/check-history.js';
import { checkOrders } from './history/check-orders.js';
import { finalOrdersOf } from './history/final-orders.fixture.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients, stopAll } from './history/history-client.fixture.js';
import { OrderingClients } from './history/ordering-clients.fixture.js';
import { describeOnHosts } from './network/host-network.fixture.js';
import { startTwoInstances, type TwoInstances } from './network/two-instances.fixture.js';
import { IS_LONG, random } from './system/run-form.js';
import { expectNoViolations } from './system/system-under-test.fixture.js';

const CLIENTS = 4;
const ACKNOWLEDGED = IS_LONG ? 3_000 : 60;
const KEYS = 4;
const ADDRESSES = IS_LONG ? 250 : 60;
const PER_MINUTE = 40;
const ASKED = 60;
const ENVIRONMENT = { BAN_AFTER: '0', ANONYMOUS_REQUESTS_PER_MINUTE: String(PER_MINUTE), TRUST_PROXY: '1' };

describeOnHosts('two instances on hosts whose ways to PostgreSQL and Redis take 20 ms and lose 1 % of all packets', () => {
  let two: TwoInstances;
  beforeEach(async () => (two = await startTwoInstances({ environment: ENVIRONMENT })));

  /** Has clients use both instances, each of which is asked for what the other has acknowledged; and nothing may be lost. */
  const use = async () => {
    const { system, instances } = two;
    const { key } = system;
    const origins = instances.map(({ origin }) => origin);
    const load = origins.map(
      (origin, index) =>
        new RecordingClients(CLIENTS, { origin, readOrigin: origins[1 - index] ?? origin, key, random, prefix: `${index + 1}-` }),
    );
    const shops = origins.map((origin, index) => new OrderingClients(CLIENTS, { origin, key, random, prefix: `ordered ${index + 1}-` }));
    await Promise.all(load.map((clients) => clients.acknowledgeMore(ACKNOWLEDGED)));
    const seen = await stopAll(load);
    const ordered = await Promise.all(shops.map((clients) => clients.stop()));
    const orders = {
      adds: ordered.flatMap(({ adds }) => adds),
      orders: ordered.flatMap(({ orders: placed }) => placed),
      moves: ordered.flatMap(({ moves }) => moves),
    };
    const history = { ...seen, adds: [...seen.adds, ...orders.adds] };
    const state = await finalStateOf(system);
    const violations = [...checkHistory(history, state), ...checkOrders(orders, state, await finalOrdersOf(system))];
    expectNoViolations('network-loss', violations, system, { history, orders });
  };

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

  it('lose nothing that was acknowledged, keep its order and show it at once at the other instance', async () => {
    await use();
  });

  const countTogether = () =>
    until(async () => {
      const all = await Promise.all(two.instances.map((instance) => instance.readiness()));
      return all.every(({ parts }) => parts['counting']?.state === 'ready');
    });

  /** How often each of many callers is let through, and whether an instance gave Redis up meanwhile. */
  const exhaustMany = async () => {
    await countTogether();
    const said = two.instances.map((instance) => instance.output().length);
    let addresses = 0;
    const nextAddress = () => ({ key: null, headers: { 'x-forwarded-for': `198.18.0.${(addresses += 1)}` } });
    const admitted: number[] = [];
    for (let key = 0; key < KEYS; key += 1) admitted.push(await exhaust(async () => ({ key: await issueKey() })));
    for (let address = 0; address < ADDRESSES; address += 1) admitted.push(await exhaust(nextAddress));
    // An instance that gave Redis up for the last caller may say so after its answers.
    await countTogether();
    const countedAlone = two.instances.some((instance, index) =>
      instance.output().slice(said[index]).includes('counts requests by itself'),
    );
    return { admitted, countedAlone };
  };

  it('let a caller through exactly as often as it may, however its requests to both overlap', async () => {
    const { admitted, countedAlone } = await exhaustMany();
    // What is busy beside may hold up an instance for longer than it waits for Redis. One that gives up for a lost packet does so each time.
    if (countedAlone) throw new UnjudgedError('An instance gave Redis up, so that both did not count together.');
    expect(admitted).toEqual(Array(KEYS + ADDRESSES).fill(PER_MINUTE));
  });
});
