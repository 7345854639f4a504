import { open, stat } from 'node:fs/promises';
import SqliteConnection from 'better-sqlite3';
import { until } from '#libs/testing';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { runBuilt } from '../e2e/built-service.fixture.js';
import { createSystem, type SystemUnderTest } from './system/system-under-test.fixture.js';

const ANIMALS = 30_000;
/** Pages of a table or an index that holds animals or events. */
const MANY_PAGES = 50;

interface Leaf {
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Overwrites two of three pages that hold rows or entries of an index with what no page can hold. The schema and what a start
 * reads stay sound: without these nothing more could be asked.
 */
async function damage(file: string): Promise<void> {
  const leaves = findLeaves(file);
  expect(leaves.length).toBeGreaterThan(MANY_PAGES);
  const handle = await open(file, 'r+');
  try {
    for (const [index, { offset, bytes }] of leaves.entries()) {
      if (index % 3 > 0) await handle.write(Buffer.alloc(bytes, 0xff), 0, bytes, offset);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function findLeaves(file: string): Leaf[] {
  const database = new SqliteConnection(file, { readonly: true });
  try {
    return database
      .prepare<[number], Leaf>(
        `SELECT "pgoffset" AS "offset", "pgsize" AS "bytes" FROM "dbstat"
         WHERE "pagetype" = 'leaf' AND "name" IN (SELECT "name" FROM "dbstat" GROUP BY "name" HAVING count(*) > ?)`,
      )
      .all(MANY_PAGES);
  } finally {
    database.close();
  }
}

/** 40 KB of garbage in the middle of the file, which no start reads. */
async function damageMiddle(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(40_000, 'garbage'), 0, 40_000, Math.floor((await stat(file)).size / 2));
  await handle.close();
}

describe('a database file that is damaged while the service runs', () => {
  let system: SystemUnderTest;
  beforeEach(async () => {
    system = await createSystem(createSqliteDatabase);
    const input = Array.from({ length: ANIMALS }, (_, index) => `{"name":"animal ${index}","categoryId":${index}}\n`).join('');
    await runBuilt('cli', ['pets', 'import', '-'], { cwd: system.folder, environment: { DATABASE_URL: system.databaseUrl }, input });
  });

  it('is found soon after a start, said in the log, and keeps the service from being ready', async () => {
    const file = system.databaseUrl.slice('sqlite:'.length);
    await system.command('db', 'backup', 'whole.sqlite');
    await damageMiddle(file);
    const service = await system.launch().listening;
    const isReady = async () => (await fetch(`${system.origin}/health/ready`)).status === 200;
    await until(async () => !(await isReady()));
    expect(service.output()).toMatch(/"level":50.*"msg":"database corrupt: /);
    const parts = (await (await fetch(`${service.management}/health/ready`)).json()) as { readonly parts: Record<string, object> };
    expect(parts.parts['database']).toMatchObject({ state: 'unavailable', detail: expect.stringMatching(/^database corrupt: /) as string });
    expect(await service.stop('SIGTERM')).toBe(0);
  });

  it('is answered with 503, logged with its reason, and found by doctor --full', async () => {
    const service = await system.launch().listening;
    const client = new ApiClient(system.origin, system.key);
    expect((await client.get('/v1/pets')).status).toBe(200);
    await damage(system.databaseUrl.slice('sqlite:'.length));
    const statuses = new Map<number, number>();
    for (let id = 1; id <= ANIMALS; id += ANIMALS / 200) {
      const { status } = await client.get(`/v1/pets/${id}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    for (let number = 0; number < 20; number += 1) {
      const { status } = await client.post('/v1/pets', `{"name":"new ${number}","categoryId":1}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(statuses.get(503)).toBeGreaterThan(0);
    expect([...statuses.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    expect(service.output()).toMatch(/"level":50.*"msg":"database corrupt: database disk image is malformed/);
    expect((await fetch(`${system.origin}/health/ready`)).status).toBe(503);
    expect(service.output()).toMatch(/database disk image is malformed.*"msg":"request failed"/);
    await service.stop('SIGKILL');

    const doctor = await runBuilt('cli', ['doctor', '--full'], { cwd: system.folder, environment: { DATABASE_URL: system.databaseUrl } });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/Problems\n {2}The file is damaged: /);
    expect(doctor.stdout).toContain('Restore a backup');
  });
});
