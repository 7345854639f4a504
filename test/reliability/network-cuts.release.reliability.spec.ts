import { setTimeout as delay } from 'node:timers/promises';
import { until } from '#libs/testing';
import { checkHistory } from './history/check-history.js';
import { finalStateOf, queryDatabase } from './history/final-state.fixture.js';
import { RecordingClients, stopAll } from './history/history-client.fixture.js';
import { describeOnHosts } from './network/host-network.fixture.js';
import { startTwoInstances, type HostedInstance, type TwoInstances } from './network/two-instances.fixture.js';
import { IS_LONG, random, randomBetween } from './system/run-form.js';
import { expectNoViolations } from './system/system-under-test.fixture.js';

const CLIENTS = 3;
const ROUNDS = IS_LONG ? 20 : 2;
const SHORTER_ROUNDS = IS_LONG ? 20 : 1;
const CUT_MILLISECONDS = IS_LONG ? 20_000 : 4_000;
const REFUSED_IN_A_CUT = 20;
/** A shed request was not asked of the database. */
const ANSWERED_WITH_503 = ['503', 'shed'];

/** Of an instance that is used. */
interface Used {
  readonly instance: HostedInstance;
  readonly clients: RecordingClients;
}

describeOnHosts('two instances on hosts whose ways to their servers are cut and come back', () => {
  let two: TwoInstances;
  let used: readonly Used[];
  beforeEach(async () => {
    two = await startTwoInstances();
    const { key } = two.system;
    used = two.instances.map((instance, index) => ({
      instance,
      clients: new RecordingClients(CLIENTS, { origin: instance.origin, key, random, prefix: `${index + 1}-` }),
    }));
  });

  const acknowledgeMore = (those: readonly Used[], count: number) =>
    Promise.all(those.map(({ clients }) => clients.acknowledgeMore(count)));

  /** Cuts ways for a while, in which `meanwhile` has to come about, then waits for all instances to serve. */
  const cutAndMend = async (links: readonly HostedInstance['toRedis'][], meanwhile: () => Promise<unknown>): Promise<void> => {
    await acknowledgeMore(used, randomBetween(5, 10));
    await delay(randomBetween(0, 200));
    const cutAt = performance.now();
    await Promise.all(links.map((link) => link.cut()));
    await meanwhile();
    await delay(Math.max(0, CUT_MILLISECONDS - (performance.now() - cutAt)));
    await Promise.all(links.map((link) => link.mend()));
    await Promise.all(used.map(({ instance }) => until(async () => (await instance.readiness()).isWhole)));
    await acknowledgeMore(used, 1);
  };

  const refuse = async ({ instance, clients }: Used): Promise<void> => {
    const enough = clients.unavailable + REFUSED_IN_A_CUT;
    await until(() => clients.unavailable >= enough);
    expect(await instance.readiness()).toMatchObject({ isReady: false });
  };

  const conclude = async (name: string) => {
    const history = await stopAll(used.map(({ clients }) => clients));
    expectNoViolations(`network-cuts, ${name}`, checkHistory(history, await finalStateOf(two.system)), two.system, history);
    expect(history.adds.filter(({ outcome }) => outcome.kind === 'unknown' && !ANSWERED_WITH_503.includes(outcome.reason))).toEqual([]);
  };

  it('lose nothing and are back where one was cut off, which said so while the other went on', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [cutOff, other] = (round % 2 === 0 ? used : used.toReversed()) as [Used, Used];
      const { toPostgres, toRedis } = cutOff.instance;
      const goOn = async () => {
        await other.clients.acknowledgeMore(20);
        await until(async () => (await other.instance.readiness()).isReady);
      };
      await cutAndMend([toPostgres, toRedis], () => Promise.all([refuse(cutOff), goOn()]));
    }
    await conclude('one instance');
  });

  it('do the same where both were cut off at once', async () => {
    const links = two.instances.flatMap(({ toPostgres, toRedis }) => [toPostgres, toRedis]);
    for (let round = 0; round < SHORTER_ROUNDS; round += 1) await cutAndMend(links, () => Promise.all(used.map(refuse)));
    await conclude('both instances');
  });

  it('serve on, and say that one counts alone, where that was cut off from Redis', async () => {
    const [cutOff] = used as [Used, Used];
    for (let round = 0; round < SHORTER_ROUNDS; round += 1) {
      const serveOn = async () => {
        await until(async () => !(await cutOff.instance.readiness()).isWhole);
        await acknowledgeMore(used, 20);
        expect(await cutOff.instance.readiness()).toMatchObject({ isReady: true, parts: { counting: { state: 'degraded' } } });
      };
      await cutAndMend([cutOff.instance.toRedis], serveOn);
    }
    await conclude('Redis of one');
  });

  it('leave no session behind where one vanished with its machine', async () => {
    const [vanished, other] = used as [Used, Used];
    const { toPostgres, toRedis } = vanished.instance;
    const sessions = async (): Promise<number> => {
      const statement = `SELECT 1 FROM pg_stat_activity WHERE client_addr << set_masklen(inet '${toPostgres.address}', 30)`;
      return (await queryDatabase(two.system.databaseUrl, statement)).length;
    };
    await acknowledgeMore(used, 5);
    expect(await sessions()).toBeGreaterThan(0);
    await Promise.all([toPostgres.cut(), toRedis.cut(), vanished.instance.stop('SIGKILL')]);
    await until(async () => (await sessions()) === 0);
    await other.clients.acknowledgeMore(1);
  });
});
