import { once } from 'node:events';
import { Database, listTables, sql } from '#libs/database';
import { ImportPets } from '../../src/pets/import/import-pets.command.js';
import { CommandBus } from '@nestjs/cqrs';
import { RetentionSchedule } from '../../src/operations/index.js';
import { createBackend, type TestBackend } from '../databases/test-backend.fixture.js';
import { openCommandLine } from './command-line.fixture.js';
import { openManagement } from './management.fixture.js';
import { startService, type Service, type ServiceOptions } from './service.fixture.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let service: Service;
let backend: TestBackend | undefined;

const start = async (options: ServiceOptions = {}) => (service = await startService(options));

afterEach(async () => {
  await service.close();
  await backend?.remove();
  backend = undefined;
});

const addWithKey = (key: string) =>
  service.client.post('/v1/pets', { name: 'Rex', categoryId: 1 }, { headers: { 'idempotency-key': key } });

async function countRows(table: 'idempotency_keys' | 'import_progress'): Promise<number> {
  const count =
    table === 'idempotency_keys'
      ? sql`SELECT count(*) AS "count" FROM "idempotency_keys"`
      : sql`SELECT count(*) AS "count" FROM "import_progress"`;
  const [row] = await service.app.get(Database).reader.query<{ count: bigint | string }>(count);
  return Number(row?.count);
}

const petTables = async () =>
  (await listTables(service.app.get(Database).reader)).map(({ name }) => name).filter((name) => name.startsWith('pet'));

const prune = () => service.app.get(RetentionSchedule).run();

async function* bytes(text: string, failure?: Error): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
  if (failure) throw failure;
}

const importPets = (batch: string, source: AsyncIterable<Uint8Array>) =>
  service.app.get(CommandBus).execute(new ImportPets({ source, format: 'ndjson', batch, onRefused: () => undefined }, { actor: 'test' }));

describe('retention', () => {
  it('keeps an idempotency key for its hours and then forgets it', async () => {
    await start({ environment: { IDEMPOTENCY_RETENTION_HOURS: '30' } });
    await addWithKey('first');
    service.clock.advance(10 * HOUR);
    await addWithKey('second');
    service.clock.advance(20 * HOUR);
    await prune();
    expect((await addWithKey('first')).headers['idempotency-replayed']).toBe('true');
    service.clock.advance(1);
    await prune();
    expect((await addWithKey('first')).headers).not.toHaveProperty('idempotency-replayed');
    expect((await addWithKey('second')).headers['idempotency-replayed']).toBe('true');
  });

  it('removes many in several transactions, also with two at it, while animals are added', async () => {
    await start();
    const management = await openManagement(service);
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => addWithKey(`${round}-${index}`)));
    }
    service.clock.advance(3 * DAY);
    await addWithKey('new');
    const adding = Promise.all(Array.from({ length: 20 }, (_, index) => addWithKey(`while ${index}`)));
    await Promise.all([prune(), prune()]);
    for (const { status } of await adding) expect(status).toBe(201);
    expect(await countRows('idempotency_keys')).toBe(21);
    expect(await management.sample('adoption_retention_removed_total', { table: 'idempotency_keys' })).toBe(1_200);
  });

  it('is looked after from the start on', async () => {
    backend = await createBackend();
    const { environment } = backend;
    const { clock } = await start({ environment });
    await addWithKey('old');
    await service.close();
    clock.advance(3 * DAY);
    await start({ clock, environment });
    while ((await countRows('idempotency_keys')) > 0);
  });

  it('forgets an import 30 days after its end, and never one that was broken off', async () => {
    await start();
    const lines = '{"name":"Tom","categoryId":3}\n';
    await importPets('finished', bytes(lines));
    await expect(importPets('broken off', bytes(lines.repeat(20), new Error('gone')))).rejects.toThrow('gone');
    service.clock.advance(30 * DAY);
    await prune();
    expect(await importPets('finished', bytes(lines))).toMatchObject({ added: 0, skipped: 1 });
    service.clock.advance(30 * DAY);
    await prune();
    expect(await importPets('finished', bytes(lines))).toMatchObject({ added: 0, skipped: 1 });
    service.clock.advance(30 * DAY + 1);
    await prune();
    expect(await countRows('import_progress')).toBe(1);
    expect(await importPets('finished', bytes(lines))).toMatchObject({ added: 1, skipped: 0 });
  });

  it('removes from the start on the tables that a killed rebuild has left, while it serves', async () => {
    const commandLine = await openCommandLine();
    backend = { environment: commandLine.backend, remove: commandLine.remove };
    await commandLine.run('db', 'migrate');
    await commandLine.addAnimals(5_000);
    await start({ environment: commandLine.backend });
    await prune();
    const live = await petTables();
    const listed = await service.client.get('/v1/pets?limit=100');
    while ((await petTables()).length === live.length) {
      const rebuilding = commandLine.start('projections', 'rebuild', 'pets');
      const ended = once(rebuilding, 'close');
      while (rebuilding.exitCode === null && (await petTables()).length === live.length);
      rebuilding.kill('SIGKILL');
      await ended;
    }
    await service.close();
    await start({ environment: commandLine.backend });
    while ((await petTables()).length > live.length) {
      expect((await service.client.get('/v1/pets?limit=100')).text).toBe(listed.text);
    }
    expect(await petTables()).toEqual(live);
    expect(await service.client.post('/v1/pets', { name: 'Rex', categoryId: 1 })).toMatchObject({ status: 201 });
  });

  it('drops the counters of addresses and keys when their day is over', async () => {
    await start();
    const management = await openManagement(service);
    const tracked = (counted_by: string) => management.sample('adoption_rate_limit_tracked', { counted_by });
    await service.client.get('/v1/pets', { key: null });
    await service.client.get('/v1/pets');
    expect([await tracked('address'), await tracked('key')]).toEqual([1, 1]);
    service.clock.advance(DAY);
    // Looked at once a minute of the clock, and a key's only after they were saved.
    while ((await tracked('address')) !== 0 || (await tracked('key')) !== 0) service.clock.advance(MINUTE);
  });
});
