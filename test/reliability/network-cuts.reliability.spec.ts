import { setTimeout as delay } from 'node:timers/promises';
import { until } from '#libs/testing';
import { checkHistory } from './history/check-history.js';
import { finalStateOf, queryDatabase } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { slowestAnswer } from './history/history.js';
import { describeOnHosts } from './network/host-network.fixture.js';
import { startTwoInstances, type HostedInstance, type TwoInstances } from './network/two-instances.fixture.js';
import { controlOfService, type ControlClient } from './system/control-client.fixture.js';
import { report } from './system/figures.js';
import { IS_LONG, random, randomBetween } from './system/run-form.js';

const CLIENTS = 3;
const ROUNDS = IS_LONG ? 20 : 2;
const SHORTER_ROUNDS = IS_LONG ? 20 : 1;
const CUT_MILLISECONDS = IS_LONG ? 20_000 : 4_000;
const REFUSED_IN_A_CUT = 20;
// What is promised, in the time of a control client.
const BACK_WITHIN_MILLISECONDS = 5_000;
// The same as of a server on this machine, and for the ways themselves a dozen round trips and two packets that get lost.
const ANSWERED_WITHIN_MILLISECONDS = 3_000;
/** A shed request was not asked of the database. */
const ANSWERED_WITH_503 = ['503', 'shed'];

/** Of an instance that is used. */
interface Used {
  readonly instance: HostedInstance;
  readonly clients: RecordingClients;
  readonly control: ControlClient;
}

describeOnHosts('two instances on hosts whose ways to their servers are cut and come back', () => {
  let two: TwoInstances;
  let used: readonly Used[];
  const cuts: number[] = [];
  const start = async (root?: string) => {
    two = await startTwoInstances({ ...(root !== undefined && { root }) });
    const { key } = two.system;
    used = two.instances.map((instance, index) => ({
      instance,
      clients: new RecordingClients(CLIENTS, { origin: instance.origin, key, random, prefix: `${index + 1}-` }),
      control: controlOfService(instance.origin),
    }));
    cuts.length = 0;
  };

  const acknowledgeMore = (those: readonly Used[], count: number) =>
    Promise.all(those.map(({ clients }) => clients.acknowledgeMore(count)));

  /** Cuts ways for a while, in which `meanwhile` has to come about, then waits for all instances to serve. Gives how long that took. */
  const cutAndMend = async (links: readonly HostedInstance['toRedis'][], meanwhile: () => Promise<unknown>): Promise<number> => {
    await acknowledgeMore(used, randomBetween(5, 10));
    await delay(randomBetween(0, 200));
    const cutAt = performance.now();
    cuts.push(cutAt);
    await Promise.all(links.map((link) => link.cut()));
    await meanwhile();
    await delay(Math.max(0, CUT_MILLISECONDS - (performance.now() - cutAt)));
    const mending = performance.now();
    await Promise.all(links.map((link) => link.mend()));
    await Promise.all(used.map(({ instance }) => until(async () => (await instance.readiness()).isWhole)));
    await acknowledgeMore(used, 1);
    return Math.max(...used.map(({ control }) => control.millisecondsBetween(mending, performance.now())));
  };

  const refuse = async ({ instance, clients }: Used): Promise<void> => {
    const enough = clients.unavailable + REFUSED_IN_A_CUT;
    await until(() => clients.unavailable >= enough);
    expect(await instance.readiness()).toMatchObject({ isReady: false });
  };

  const conclude = async (name: string, recoveries: readonly number[], figures: Readonly<Record<string, number>> = {}) => {
    const histories = await Promise.all(used.map(({ clients }) => clients.stop()));
    const history = { adds: histories.flatMap(({ adds }) => adds), reads: histories.flatMap(({ reads }) => reads) };
    // What a request had taken before the cut was no wait for what was cut.
    const slowest = histories.map((one, index) =>
      slowestAnswer(
        one,
        (begun, ended) =>
          used[index]?.control.millisecondsBetween(Math.max(begun, ...cuts.filter((moment) => moment < ended)), ended) ?? NaN,
      ),
    );
    report(`ways cut: ${name}`, {
      cuts: cuts.length,
      'links by': two.badBy,
      acknowledged: used.reduce((sum, { clients }) => sum + clients.acknowledged, 0),
      'answered with 503': used.reduce((sum, { clients }) => sum + clients.unavailable, 0),
      'longest ms until both serve again': Math.max(...recoveries),
      'longest ms of an answer': Math.max(...slowest),
      ...figures,
    });
    expect(checkHistory(history, await finalStateOf(two.system))).toEqual([]);
    expect(history.adds.filter(({ outcome }) => outcome.kind === 'unknown' && !ANSWERED_WITH_503.includes(outcome.reason))).toEqual([]);
    expect(Math.max(...slowest)).toBeLessThan(ANSWERED_WITHIN_MILLISECONDS);
    expect(Math.max(...recoveries)).toBeLessThan(BACK_WITHIN_MILLISECONDS);
  };

  it('lose nothing and are back within 5 s where one was cut off, which said so while the other went on', async () => {
    await start();
    const recoveries: number[] = [];
    const waits: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [cutOff, other] = (round % 2 === 0 ? used : used.toReversed()) as [Used, Used];
      const { toPostgres, toRedis } = cutOff.instance;
      const goOn = async () => {
        const begun = performance.now();
        await other.clients.acknowledgeMore(1);
        waits.push(Math.round(performance.now() - begun));
        await other.clients.acknowledgeMore(20);
        await until(async () => (await other.instance.readiness()).isReady);
      };
      recoveries.push(await cutAndMend([toPostgres, toRedis], () => Promise.all([refuse(cutOff), goOn()])));
    }
    await conclude('one instance', recoveries, { 'longest ms until the other served on': Math.max(...waits) });
  });

  it('do the same where both were cut off at once', async () => {
    await start();
    const links = two.instances.flatMap(({ toPostgres, toRedis }) => [toPostgres, toRedis]);
    const recoveries: number[] = [];
    for (let round = 0; round < SHORTER_ROUNDS; round += 1) recoveries.push(await cutAndMend(links, () => Promise.all(used.map(refuse))));
    await conclude('both instances', recoveries);
  });

  it('serve on, and say that one counts alone, where that was cut off from Redis', async () => {
    await start();
    const [cutOff] = used as [Used, Used];
    const recoveries: number[] = [];
    for (let round = 0; round < SHORTER_ROUNDS; round += 1) {
      const serveOn = async () => {
        await until(async () => !(await cutOff.instance.readiness()).isWhole);
        await acknowledgeMore(used, 20);
        expect(await cutOff.instance.readiness()).toMatchObject({ isReady: true, parts: { counting: { state: 'degraded' } } });
      };
      recoveries.push(await cutAndMend([cutOff.instance.toRedis], serveOn));
    }
    await conclude('Redis of one', recoveries);
  });

  it('leave no session behind where one vanished with its machine', async () => {
    await start();
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
