import { linesOf, startDeployment, type Deployment } from './deployment.fixture.js';

describe('the image, as docker compose runs it', () => {
  let deployment: Deployment;
  beforeAll(async () => (deployment = await startDeployment()));

  const inInstance = (...words: readonly string[]): Promise<string> => deployment.compose('exec', '-T', 'production', ...words);

  it('serves from two instances that Docker finds healthy', async () => {
    const states = await deployment.compose('ps', '--format', '{{.Service}} {{.Health}}');

    expect(linesOf(states).sort()).toEqual([
      'production healthy',
      'production healthy',
      'production-postgres healthy',
      'production-proxy healthy',
      'production-redis healthy',
    ]);
    expect((await fetch(`${deployment.origin}/health/ready`)).status).toBe(200);
  });

  it('serves as the role that cannot change what happened, and has no other', async () => {
    expect(linesOf(await inInstance('ls', '/run/secrets'))).toEqual(['database-url']);
    const psql = (statement: string): Promise<string> =>
      deployment.compose('exec', '-T', 'production-postgres', 'psql', '-U', 'postgres', '-d', 'adoption', '-Atc', statement);
    const roles = await psql(`SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name LIKE 'animal-adoption/%'`);
    expect(linesOf(roles)).toEqual(['adoption']);
    expect(linesOf(await psql(`SELECT tableowner FROM pg_tables WHERE tablename = 'events'`))).toEqual(['adoption_owner']);
    const change = `SET ROLE adoption; UPDATE events SET type = 'other'`;
    await expect(psql(change)).rejects.toThrow('permission denied');
  });

  it('runs not as root, and without a privilege', async () => {
    const status = await inInstance('cat', '/proc/self/status');

    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
  });

  it.each(['/app', '/tmp', '/', '/etc'])('cannot write to %s', async (folder) => {
    await expect(inInstance('touch', `${folder}/file`)).rejects.toThrow('Read-only file system');
  });

  it('logs a request as one line of JSON, with the id of its key and never the key', async () => {
    const client = await deployment.client('free');
    const { headers } = await client.get('/v1/pets', { headers: { 'x-forwarded-for': '203.0.113.7' } });

    const instances = await deployment.containers();
    const logs = await Promise.all(instances.map(async (instance) => deployment.shell(`docker logs ${instance} 2>&1`)));
    const lines = linesOf(logs.join('\n')).filter((line) => line.includes(String(headers['x-request-id'])));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ method: 'GET', route: '/v1/pets', status: 200, keyId: expect.anything() });
    // Nor the address that the client claims to have.
    expect(logs.join('\n')).not.toMatch(/adopt_live_|203\.0\.113\.7/);
  });
});
