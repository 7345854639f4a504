import { spawn } from 'node:child_process';
import { finished, type Finished } from '../e2e/built-service.fixture.js';
import { createDockerStandIn, type DockerStandIn, type StandInContainer } from './docker-stand-in.fixture.js';

const instances = (tag: string, count: number): StandInContainer[] =>
  Array.from({ length: count }, (_, index) => ({ id: `c${index + 1}`, tag, state: 'running' }));

describe('deploy/upgrade.sh', () => {
  let docker: DockerStandIn;
  beforeEach(async () => (docker = await createDockerStandIn(instances('1.0.0', 2))));
  afterEach(() => docker.remove());

  const upgrade = (version: string, { words = ['production'], instances: count = 2 } = {}): Promise<Finished> => {
    const env = {
      ...docker.environment,
      ADOPTION_VERSION: version,
      PRODUCTION_INSTANCES: `${count}`,
      UPGRADE_READY_SECONDS: '2',
      UPGRADE_WATCH_SECONDS: '1',
    };
    return finished(spawn(docker.script, words, { env }));
  };
  const commands = async () => (await docker.done()).map(({ command }) => command);
  const fewestReady = async () => Math.min(...(await docker.done()).map(({ ready }) => ready));

  it.each([1, 2, 3])('replaces %i, one by one, with never fewer that are ready, and leaves nothing behind', async (count) => {
    await docker.remove();
    docker = await createDockerStandIn(instances('1.0.0', count));
    expect(await upgrade('1.1.0', { instances: count })).toMatchObject({ code: 0, stderr: '' });
    const each = Array.from({ length: count }, (_, index) => [
      `create c${count + index + 1}`,
      `start c${count + index + 1}`,
      `stop c${index + 1}`,
    ]);
    const removed = Array.from({ length: count }, (_, index) => `rm c${index + 1}`);
    expect(await commands()).toEqual(['migrate 1.1.0', ...each.flat(), ...removed]);
    expect(await fewestReady()).toBe(count);
    expect(await docker.migratedBy()).toBe('1.1.0');
    expect(await docker.containers()).toEqual(Array.from({ length: count }, (_, index) => `c${count + index + 1} 1.1.0 running`));
  });

  it('does nothing where all are what they should be, unless it is told to replace them', async () => {
    expect(await upgrade('1.0.0')).toMatchObject({ code: 0 });
    expect(await commands()).toEqual([]);
    expect(await upgrade('1.0.0', { words: ['production', '--replace'] })).toMatchObject({ code: 0 });
    expect(await docker.containers()).toEqual(['c3 1.0.0 running', 'c4 1.0.0 running']);
  });

  it('says which version belongs into .env', async () => {
    expect((await upgrade('1.1.0')).stdout).toMatch(/Write ADOPTION_VERSION=1\.1\.0 into \.env/);
  });

  it.each([
    ['exits', /ended by itself/],
    ['unhealthy', /is unhealthy/],
    ['unready', /, 2 s after its start/],
    ['errors', /answered \d+ of \d+ requests with an error/],
  ])('goes back where a new one %s, and says why', async (version, reason) => {
    const { code, stderr } = await upgrade(version);
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
    expect(stderr).toMatch(/the log of c3[^]*Set ADOPTION_VERSION and \.env to the version before/);
    expect(await docker.containers()).toEqual(['c1 1.0.0 running', 'c2 1.0.0 running']);
    expect(await fewestReady()).toBe(2);
  });

  it.each(['migrate 1.1.0', 'create c3', 'start c3', 'stop c1', 'create c4', 'rm c2'])(
    'goes on when it is run again after it was killed before "%s"',
    async (command) => {
      await docker.killAt(command);
      expect((await upgrade('1.1.0')).code).not.toBe(0);
      expect(await upgrade('1.1.0')).toMatchObject({ code: 0, stderr: '' });
      expect(await docker.containers()).toEqual(['c3 1.1.0 running', 'c4 1.1.0 running']);
      expect(await fewestReady()).toBe(2);
    },
  );

  it('replaces none where the database cannot be migrated', async () => {
    const { code, stderr } = await upgrade('unmigrated');
    expect([code, stderr]).toEqual([1, expect.stringContaining('could not be migrated')]);
    expect(await commands()).toEqual([]);
    expect(await docker.containers()).toEqual(['c1 1.0.0 running', 'c2 1.0.0 running']);
  });

  it('goes back half way with the version before, and starts what it had stopped', async () => {
    await docker.killAt('create c4');
    await upgrade('1.1.0');
    expect(await docker.containers()).toEqual(['c1 1.0.0 exited', 'c2 1.0.0 running', 'c3 1.1.0 running']);
    expect(await upgrade('1.0.0')).toMatchObject({ code: 0 });
    expect(await docker.containers()).toEqual(['c1 1.0.0 running', 'c2 1.0.0 running']);
    expect(await fewestReady()).toBe(2);
  });

  it('brings stopped ones back before it takes new ones away', async () => {
    await docker.remove();
    docker = await createDockerStandIn([
      { id: 'c1', tag: '1.0.0', state: 'exited' },
      { id: 'c2', tag: '1.0.0', state: 'running' },
      { id: 'c3', tag: 'unready', state: 'running' },
      { id: 'c4', tag: 'unready', state: 'created' },
    ]);
    expect(await upgrade('unready')).toMatchObject({ code: 2 });
    expect(await docker.containers()).toEqual(['c1 1.0.0 running', 'c2 1.0.0 running']);
  });

  it('stops one that is not ready before one that is', async () => {
    await docker.remove();
    docker = await createDockerStandIn([...instances('1.0.0', 1), { id: 'c2', tag: 'unready', state: 'running' }]);
    expect(await upgrade('1.1.0')).toMatchObject({ code: 0 });
    expect((await commands()).filter((command) => command.startsWith('stop'))).toEqual(['stop c2', 'stop c1']);
  });

  it.each([[[]], [['development']], [['production', '--all']]])('refuses the words %j', async (words) => {
    expect(await upgrade('1.1.0', { words })).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Usage:/) });
    expect(await commands()).toEqual([]);
  });

  it('refuses where no instance serves', async () => {
    await docker.remove();
    docker = await createDockerStandIn([{ id: 'c1', tag: '1.0.0', state: 'exited' }]);
    expect(await upgrade('1.1.0')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^No instance of production serves/) });
  });
});
