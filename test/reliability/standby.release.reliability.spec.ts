import { readFile } from 'node:fs/promises';
import { until } from '#libs/testing';
import { startOwnPostgres, type OwnPostgres } from '../databases/own-postgres.fixture.js';
import { startHaproxy, withPort } from '../databases/poolers.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { createSystem, readinessOf } from './system/system-under-test.fixture.js';

/** The code of this kind that the page for operators shows about failover. */
async function documented(kind: string): Promise<string> {
  const section = (await readFile('docs/operate/backup.md', 'utf8')).split('\n## Failover\n')[1] ?? '';
  return new RegExp(`\`\`\`${kind}\n(#!|global)(?<rest>[^\`]*)\`\`\``).exec(section)?.[0].replace(/^.*\n|```$/g, '') ?? '';
}

/** Through the configuration that is documented, with these servers in place of those in it. */
async function throughHaproxy(one: OwnPostgres, other: OwnPostgres): Promise<string> {
  const configuration = await documented('haproxy');
  const port = await startHaproxy(
    (listened, script) =>
      configuration
        .replace('127.0.0.1:6432', `127.0.0.1:${listened}`)
        .replace('/etc/haproxy/is-primary', script)
        .replace('one:5432', new URL(one.url).host)
        .replace('other:5432', new URL(other.url).host),
    await documented('sh'),
  );
  return withPort(one.url, port);
}

describe('a service whose primary is lost', () => {
  // That a list of several hosts leads to the primary is of test/contract/standby.servers.int.spec.ts.
  it('serves nothing until the standby is promoted, and then goes on by itself, found by HAProxy as it is documented', async () => {
    const primary = await startOwnPostgres();
    const standby = await startOwnPostgres({}, undefined, { backup: await primary.takeBaseBackup(), as: 'standby' });
    const url = await throughHaproxy(primary, standby);
    const system = await createSystem(async () => ({ url }));
    const service = await system.launch().listening;
    const client = new ApiClient(system.origin, system.key);
    const add = () => client.post('/v1/pets', '{"name":"Rex","categoryId":1}');
    const isReady = async () => (await readinessOf(service)).isReady;
    expect((await add()).status).toBe(201);

    await primary.kill();
    await until(async () => !(await isReady()));
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      statuses.add((await add()).status);
      statuses.add((await client.get('/v1/pets')).status);
    }
    expect([...statuses]).toEqual([503]);
    await expect(system.command('keys', 'list')).rejects.toThrow(/ended with 1/);

    await standby.promote();
    await until(async () => (await add()).status === 201 && (await isReady()));
    expect((await client.get('/v1/pets')).status).toBe(200);
    await system.command('keys', 'list');
  });
});
