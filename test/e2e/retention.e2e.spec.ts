import { CommandBus } from '@nestjs/cqrs';
import { Database, raw } from '#libs/database';
import { RetentionSchedule } from '../../src/operations/index.js';
import { ImportPets } from '../../src/pets/import/import-pets.command.js';
import { openManagement } from './management.fixture.js';
import { startService, type Service, type ServiceOptions } from './service.fixture.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('retention', () => {
  let service: Service;
  afterEach(() => service.close());

  const start = async (options: ServiceOptions = {}) => (service = await startService(options));
  const addWithKey = (key: string) =>
    service.client.post('/v1/pets', { name: 'Rex', categoryId: 1 }, { headers: { 'idempotency-key': key } });
  const countRows = async (table: 'idempotency_keys' | 'import_progress') => {
    const { reader } = service.app.get(Database);
    const [row] = await reader.query<{ count: bigint | string }>(raw(`SELECT count(*) AS "count" FROM "${table}"`));
    return Number(row?.count);
  };
  const prune = () => service.app.get(RetentionSchedule).run();

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
    await Promise.all(Array.from({ length: 1_200 }, (_, index) => addWithKey(`${index}`)));
    service.clock.advance(3 * DAY);
    await addWithKey('new');
    const adding = Promise.all(Array.from({ length: 20 }, (_, index) => addWithKey(`while ${index}`)));
    await Promise.all([prune(), prune()]);
    for (const { status } of await adding) expect(status).toBe(201);
    expect(await countRows('idempotency_keys')).toBe(21);
    expect(await management.sample('adoption_retention_removed_total', { table: 'idempotency_keys' })).toBe(1_200);
  });

  it('forgets an import 30 days after its end, and never one that was broken off', async () => {
    await start();
    async function* bytes(text: string, failure?: Error): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from(text));
      if (failure) throw failure;
    }
    const importPets = (batch: string, source: AsyncIterable<Uint8Array>) => {
      const values = { source, format: 'ndjson', batch, onRefused: () => undefined } as const;
      return service.app.get(CommandBus).execute(new ImportPets(values, { actor: 'test' }));
    };
    const lines = '{"name":"Tom","categoryId":3}\n';
    await importPets('finished', bytes(lines));
    await expect(importPets('broken off', bytes(lines.repeat(20), new Error('gone')))).rejects.toThrow('gone');
    for (let times = 0; times < 2; times += 1) {
      service.clock.advance(30 * DAY);
      await prune();
      expect(await importPets('finished', bytes(lines))).toMatchObject({ added: 0, skipped: 1 });
    }
    service.clock.advance(30 * DAY + 1);
    await prune();
    expect(await countRows('import_progress')).toBe(1);
    expect(await importPets('finished', bytes(lines))).toMatchObject({ added: 1, skipped: 0 });
  });
});
