import { EventStore } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { LimiterStore } from '../../src/rate-limiting/index.js';
import { openRedisSpace, type RedisSpace } from '../databases/redis.fixture.js';
import type { Answer } from './api-client.fixture.js';
import { runHere } from './command-line.fixture.js';
import { startInstances, type Instances } from './instances.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';

interface Usage {
  readonly day: { readonly used: number };
}

const PETS = '/v1/pets';
const REX = { name: 'Rex', categoryId: 7 };
const ENVIRONMENT = {
  BAN_AFTER: '3',
  BAN_GRACE_SECONDS: '0',
  CREATE_BURST_PER_SECOND: '5',
  ANONYMOUS_REQUESTS_PER_MINUTE: '7',
};

describe('several instances that count in Redis', () => {
  let space: RedisSpace;
  let instances: Instances;
  beforeEach(async () => {
    space = await openRedisSpace();
    instances = await startInstances(3, space, ENVIRONMENT);
  });
  afterEach(async () => {
    await instances.close();
    await space.close();
  });

  const issueKey = (perMinute: number) => instances.next().issueKey({ plan: 'enterprise', perMinute, perDay: 1_000 });
  const list = (key: string | null): Promise<Answer> => instances.next().client.get(PETS, { key });
  const overlapping = <Result>(count: number, send: () => Promise<Result>) => Promise.all(Array.from({ length: count }, send));
  const countOf = (answers: readonly Answer[], status: number) => answers.filter((answer) => answer.status === status).length;

  it('say that they do', () => {
    expect(instances.all.map(({ app }) => app.get(LimiterStore).counting)).toEqual(['shared', 'shared', 'shared']);
  });

  it('let a key through exactly as often as its plan allows, however the requests overlap', async () => {
    const { token } = await issueKey(40);
    const answers = await overlapping(42, () => list(token));
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([40, 2]);
    const remaining = answers.filter(({ status }) => status === 200).map((answer) => toldLimits(answer).remaining);
    expect(remaining.sort((one, other) => one - other)).toEqual(Array.from({ length: 40 }, (_, index) => index));
    instances.clock.advance(60_000);
    expect(toldLimits(await list(token))).toMatchObject({ minute: { remaining: 39 }, day: { remaining: 959 } });
  });

  it('let an address through exactly as often as is allowed without a key', async () => {
    expect(countOf(await overlapping(30, () => list(null)), 401)).toBe(7);
  });

  it('let a key add animals exactly as fast as is allowed', async () => {
    const { token } = await issueKey(100);
    const answers = await overlapping(20, () => instances.next().client.post(PETS, REX, { key: token }));
    expect([countOf(answers, 201), countOf(answers, 429)]).toEqual([5, 15]);
  });

  it('ban a key once for one burst over all of them, which all know', async () => {
    const { id, token } = await issueKey(1);
    await overlapping(60, () => list(token));
    const answers = await Promise.all(instances.all.map(({ client }) => client.get(PETS, { key: token })));
    expect(answers.map((answer) => answer.json()['code'])).toEqual(['key_banned', 'key_banned', 'key_banned']);
    await instances.stop();
    const events = await (await instances.add()).app.get(EventStore).readStream(`api-key-${id}`);
    expect(events.filter(({ type }) => type === 'api-key-banned').map(({ data }) => data)).toEqual([
      { until: new Date(instances.clock.now().getTime() + 60_000).toISOString(), step: 1 },
    ]);
    expect((await list(token)).json()).toMatchObject({ code: 'key_banned' });
  });

  it('tell operators of the requests to all of them', async () => {
    // The command line has the time of this machine.
    instances.clock.set(new Date());
    const { id, token } = await issueKey(100);
    const { token: tools } = await instances.next().issueKey({ scopes: ['graphql'] });
    await overlapping(31, () => list(token));
    const tellCommandLine = async () => {
      const { stdout } = await runHere({ DATABASE_URL: instances.databaseUrl }, ['keys', 'usage', `${id}`]);
      return (JSON.parse(stdout) as Usage).day.used;
    };
    const tellGraphql = async () => {
      const query = '{ apiKeys(first: 100) { nodes { id usage { day { used } } } } }';
      const answer = await instances.next().client.post('/graphql', { query }, { key: tools });
      const { nodes } = answer.json<{ data: { apiKeys: { nodes: { id: string; usage: Usage }[] } } }>().data.apiKeys;
      return nodes.find((node) => node.id === `${id}`)?.usage.day.used;
    };
    await until(async () => (await tellCommandLine()) === 31 && (await tellGraphql()) === 31);
  });

  it('go on from the same counts after a restart of all, also where Redis has lost them', async () => {
    const { token } = await issueKey(100);
    await overlapping(20, () => list(token));
    await instances.stop();
    await instances.add();
    expect(toldLimits(await list(token))).toMatchObject({ minute: { remaining: 79 }, day: { remaining: 979 } });
    await instances.stop();
    await space.clear();
    await instances.add();
    expect(toldLimits(await list(token))).toMatchObject({ minute: { remaining: 78 }, day: { remaining: 978 } });
  });
});
