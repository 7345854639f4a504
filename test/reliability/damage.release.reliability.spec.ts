import { open } from 'node:fs/promises';
import { until } from '#libs/testing';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { runBuilt } from '../e2e/built-service.fixture.js';
import { createSystem, readinessOf, type SystemUnderTest } from './system/system-under-test.fixture.js';

const ANIMALS = 30_000;
const PAGE_BYTES = 4_096;

/** Overwrites this share in the middle of the file with what no page can hold; what a start reads stands before it. */
async function damage({ databaseUrl }: SystemUnderTest, share: number): Promise<void> {
  const handle = await open(databaseUrl.slice('sqlite:'.length), 'r+');
  const pages = Math.floor((await handle.stat()).size / PAGE_BYTES);
  const bytes = Buffer.alloc(Math.ceil(pages * share) * PAGE_BYTES, 0xff);
  await handle.write(bytes, 0, bytes.length, Math.floor((pages * (1 - share)) / 2) * PAGE_BYTES);
  await handle.sync();
  await handle.close();
}

describe('a database file that is damaged', () => {
  let system: SystemUnderTest;
  beforeEach(async () => {
    system = await createSystem(createSqliteDatabase);
    const input = Array.from({ length: ANIMALS }, (_, index) => `{"name":"animal ${index}","categoryId":${index}}\n`).join('');
    await runBuilt('cli', ['pets', 'import', '-'], { cwd: system.folder, environment: { DATABASE_URL: system.databaseUrl }, input });
  });

  it('before a start is found soon after it, said in the log, and keeps the service from being ready', async () => {
    await damage(system, 0.01);
    const service = await system.launch().listening;
    await until(async () => !(await readinessOf(service)).isReady);
    expect(service.output()).toMatch(/"level":50.*"msg":"database corrupt: /);
    const { parts } = await readinessOf(service);
    expect(parts['database']).toMatchObject({ state: 'unavailable', detail: expect.stringMatching(/^database corrupt: /) as string });
    expect(await service.stop('SIGTERM')).toBe(0);
  });

  it('under a running service is answered with 503, logged with its reason, and found by doctor --full', async () => {
    const service = await system.launch().listening;
    const client = new ApiClient(system.origin, system.key);
    expect((await client.get('/v1/pets')).status).toBe(200);
    await damage(system, 0.6);
    const statuses = new Set<number>();
    for (let id = 1; id <= ANIMALS; id += ANIMALS / 200) statuses.add((await client.get(`/v1/pets/${id}`)).status);
    for (let number = 0; number < 20; number += 1) {
      statuses.add((await client.post('/v1/pets', { name: `new ${number}`, categoryId: 1 })).status);
    }
    expect(statuses).toContain(503);
    expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    expect(service.output()).toMatch(/"level":50.*"msg":"database corrupt: database disk image is malformed/);
    expect((await readinessOf(service)).isReady).toBe(false);
    expect(service.output()).toMatch(/database disk image is malformed.*"msg":"request failed"/);
    await service.stop('SIGKILL');

    const doctor = await runBuilt('cli', ['doctor', '--full'], { cwd: system.folder, environment: { DATABASE_URL: system.databaseUrl } });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^problem 1: +The file is damaged: .*Restore a backup/m);
  });
});
