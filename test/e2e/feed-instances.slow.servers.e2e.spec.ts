import { until } from '#libs/testing';
import { openRedisSpace, type RedisSpace } from '../databases/redis.fixture.js';
import { startInstances, type Instances } from './instances.fixture.js';
import { BATCH, EventStreamClient, type CloudEvent } from './event-stream.fixture.js';
import { ApiClient } from './api-client.fixture.js';
import { UNLIMITED, type Service } from './service.fixture.js';

describe('streams of events at two instances', () => {
  let space: RedisSpace;
  let instances: Instances;
  let token: string;
  let clients: readonly ApiClient[];
  beforeAll(async () => {
    space = await openRedisSpace();
    instances = await startInstances(2, space);
    ({ token } = await instances.next().issueKey({ ...UNLIMITED, scopes: ['events', 'pets'] }));
    clients = instances.all.map(({ origin }) => new ApiClient(origin, token));
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await instances.close();
    await space.close();
  });

  const [one, other] = [0, 1].map((index) => (): Service => {
    const service = instances.all[index];
    if (!service) throw new Error('There is no such instance.');
    return service;
  }) as [() => Service, () => Service];
  const open = ({ origin }: Service, query = '') => EventStreamClient.open(origin, { key: token, query });
  const add = async (client = clients[0]) => (await client?.post('/v1/pets', { name: 'Rex', categoryId: 7 }))?.json<{ id: number }>().id;

  it('tell what another instance does', async () => {
    const stream = await open(other());
    await stream.next();
    await stream.next();
    const id = await add();
    await until(() => stream.waiting.length > 0);
    expect((await stream.events(1))[0]?.subject).toBe(`pets/${id}`);
    stream.close();
  });

  it('have a page that waits at one answered with what happens at the other', async () => {
    const page = (await clients[1]?.get('/v1/events?limit=100'))?.json<CloudEvent[]>() ?? [];
    const headers = { accept: BATCH };
    const waiting = clients[1]?.get(`/v1/events?timeout=10000&after=${page.at(-1)?.id ?? 0}`, { headers });
    const id = await add();
    expect((await waiting)?.json()).toMatchObject([{ subject: `pets/${id}` }]);
  });

  it('give the same events in the same order, while both write, also to who changes from one to the other', async () => {
    const beginnings = await Promise.all([open(one(), '?after=earliest'), open(other(), '?after=earliest')]);
    const before = 2;
    const added = await Promise.all(Array.from({ length: 200 }, (_, index) => add(clients[index % 2])));
    const [atOne = [], atOther = []] = await Promise.all(beginnings.map((stream) => stream.events(before + added.length)));
    // In development an event names the address of the instance that gives it.
    const told = (events: readonly CloudEvent[]) => events.map((event) => ({ ...event, source: '', dataschema: '' }));
    expect(told(atOther)).toEqual(told(atOne));
    const half = atOne.slice(0, 100);
    const changed = await EventStreamClient.open(other().origin, { key: token, headers: { 'last-event-id': half.at(-1)?.id ?? '' } });
    expect(told([...half, ...(await changed.events(before + added.length - 100))])).toEqual(told(atOne));
    for (const stream of [...beginnings, changed]) stream.close();
  });
});
