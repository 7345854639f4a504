import type { ApiClient } from '../../e2e/api-client.fixture.js';
import { startDeployment, type Deployment } from './deployment.fixture.js';
import { Traffic } from './traffic.fixture.js';
import { until } from './until.fixture.js';

const REPEATS = 100;

describe('what was acknowledged', () => {
  let deployment: Deployment;
  let client: ApiClient;
  beforeAll(async () => {
    deployment = await startDeployment();
    client = await deployment.client('unlimited');
  });

  const stateOf = async (container: string): Promise<string> =>
    (await deployment.shell(`docker inspect --format '{{.State.Status}} {{.RestartCount}} {{.State.Health.Status}}' ${container}`)).trim();

  it.each([
    ['stopped and started', ['stop', 'start']],
    ['removed without its volumes and made anew', ['down', 'up --detach --no-build --wait']],
  ])('is there, and its key is valid, after the deployment was %s', async (_, steps) => {
    const added = await client.post('/v1/pets', { name: 'Rex', categoryId: 7, status: 'available' });
    expect(added.status).toBe(201);

    for (const step of steps) await deployment.compose(...step.split(' '));
    await deployment.ready();

    const kept = await client.get(added.headers.location ?? '');
    expect(kept.status).toBe(200);
    expect(kept.text).toBe(`[${added.text}]`);
  });

  it('is there once when an instance is killed, clients repeat what got no answer, and the instance comes back', async () => {
    const before = await animals(client);
    const traffic = new Traffic(client, REPEATS);
    await traffic.succeeds(50);
    const [killed = ''] = await deployment.containers();

    // Of all processes but the container's first, which then ends with the service.
    await deployment.shell(`docker exec ${killed} sh -c 'kill -9 -1'`);
    await traffic.succeeds(50);
    await until(async () => (await stateOf(killed)) === 'running 1 healthy', 'it comes back');
    await traffic.succeeds(50);
    await traffic.stop();

    expect(await animals(client)).toBe(before + traffic.acknowledged.length);
    const names = await Promise.all(
      traffic.acknowledged.map(async ({ id }) => (await client.get(`/v1/pets?ids=${id}`)).json<{ name: string }[]>()[0]?.name),
    );
    expect(names).toEqual(traffic.acknowledged.map(({ name }) => name));
    await deployment.shell('cli events verify');
  });
});

async function animals(client: ApiClient): Promise<number> {
  const counts = (await client.get('/v1/store/inventory')).json<Record<string, number>>();
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
