import { startPostgresCluster } from '../databases/postgres-cluster.fixture.js';
import { EventStreamClient } from '../e2e/event-stream.fixture.js';
import { addMany, MANY, namesOf, rewinds, startInstances, verified } from './system/failover-instances.fixture.js';

describe('a failover to a standby', () => {
  it('that has confirmed each commit loses nothing, refuses no position, and ends no stream', async () => {
    const cluster = await startPostgresCluster({ synchronous: true });
    const { system, services, clients } = await startInstances(cluster.url);
    await addMany(clients[0], 'kept');
    const stream = await EventStreamClient.open(services[1].origin, { key: system.key, query: '?after=earliest' });
    const last = (await stream.events(MANY)).at(-1)?.id ?? '';
    await cluster.failOver();
    const ids = await addMany(clients[0], 'new');
    expect((await stream.events(MANY)).map(({ subject }) => subject)).toEqual(ids.map((id) => `pets/${id}`));
    expect((await clients[1].get(`/v1/events?after=${last}`)).json<unknown[]>()).toHaveLength(MANY);
    expect(namesOf(await clients[1].get('/v1/pets'))).toHaveLength(2 * MANY);
    expect(await rewinds(services[1])).toBe(0);
    expect((await verified(system)).problems).toEqual([]);
  });
});
