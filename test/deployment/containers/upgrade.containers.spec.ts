import { until } from '#libs/testing';
import { startDeployment, linesOf, versions, type Deployment } from './deployment.fixture.js';
import { Traffic } from './traffic.fixture.js';

const REPEATS = 100;

describe('while clients add animals and read them back', () => {
  let deployment: Deployment;
  let traffic: Traffic;
  beforeEach(async () => {
    deployment = await startDeployment();
    traffic = new Traffic(await deployment.client('unlimited'));
    await traffic.succeeds(20);
  });

  const running = async (): Promise<string[]> =>
    linesOf(await deployment.shell("docker compose ps --format '{{.Image}} {{.Health}}' production")).map((line) =>
      line.replace(/^.*:/, ''),
    );
  const upgrade = (version: string): Promise<string> => deployment.shell(`ADOPTION_VERSION=${version} deploy/upgrade.sh production`);
  /** Writes down the version as the script asks for, and starts what is not as it is written. */
  const upAgain = async (version: string): Promise<void> => {
    await deployment.shell(
      `echo ADOPTION_VERSION=${version} >>.env; unset ADOPTION_VERSION; docker compose --profile production up --detach --wait`,
    );
  };

  it('an upgrade replaces one instance after the other, and not one request fails', async () => {
    const before = await deployment.containers();

    await upgrade(versions.second);
    await traffic.succeeds(20);
    await traffic.stop();

    expect(traffic.failures).toEqual([]);
    expect(await running()).toEqual([`${versions.second} healthy`, `${versions.second} healthy`]);
    const after = await deployment.containers();
    expect(after.filter((instance) => before.includes(instance))).toEqual([]);
    await upAgain(versions.second);
    expect((await deployment.containers()).sort()).toEqual(after.sort());
  });

  it('an upgrade to what does not start leaves the instances that serve, and not one request fails', async () => {
    const before = await deployment.containers();

    await expect(upgrade(versions.broken)).rejects.toThrow();
    await traffic.succeeds(20);
    await traffic.stop();

    expect(traffic.failures).toEqual([]);
    expect(await running()).toEqual([`${versions.first} healthy`, `${versions.first} healthy`]);
    expect((await deployment.containers()).sort()).toEqual(before.sort());
  });

  it('an upgrade that was killed on the way goes on when it is run again, and not one request fails', async () => {
    // Within the time for which the first new instance is watched, or while it starts.
    await deployment.shell(`ADOPTION_VERSION=${versions.second} timeout --signal=KILL 12 deploy/upgrade.sh production || true`);
    await upgrade(versions.second);
    await traffic.succeeds(20);
    await traffic.stop();

    expect(traffic.failures).toEqual([]);
    expect(await running()).toEqual([`${versions.second} healthy`, `${versions.second} healthy`]);
  });

  it('a killed instance comes back, and a repeated request is done once', async () => {
    await traffic.stop();
    const client = await deployment.client('unlimited');
    const repeating = new Traffic(client, REPEATS);
    const [killed = ''] = await deployment.containers();
    // Of all processes except the container's first, which then ends with the service.
    await deployment.shell(`docker exec ${killed} sh -c 'kill -9 -1'`);
    const state = () =>
      deployment.shell(`docker inspect --format '{{.State.Status}} {{.RestartCount}} {{.State.Health.Status}}' ${killed}`);
    await until(async () => (await state()).trim() === 'running 1 healthy');
    await repeating.succeeds(50);
    await repeating.stop();

    const acknowledged = [...traffic.acknowledged, ...repeating.acknowledged];
    const counts = (await client.get('/v1/store/inventory')).json<Record<string, number>>();
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(acknowledged.length);
    await deployment.shell('cli events verify');
  });
});
