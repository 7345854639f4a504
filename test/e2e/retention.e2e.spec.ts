import { CommandBus } from '@nestjs/cqrs';
import { Database, raw } from '#libs/database';
import { RetentionSchedule } from '../../src/operations/index.js';
import { ImportPets } from '../../src/pets/import/import-pets.command.js';
import { startService, type Service, type ServiceOptions } from './service.fixture.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('retention', () => {
  let service: Service;
  afterEach(() => service.close());

  const start = async (options: ServiceOptions = {}) => (service = await startService(options));
  const addWithKey = (key: string) =>
    service.client.post('/v1/pets', { name: 'Rex', categoryId: 1 }, { headers: { 'idempotency-key': key } });
  const countRows = async () => (await service.app.get(Database).reader.query(raw('SELECT * FROM "import_rows"'))).length;
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

  it('forgets the rows of an import 30 days after a run has seen them', async () => {
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
    expect(await countRows()).toBeGreaterThan(1);
    for (let times = 0; times < 2; times += 1) {
      service.clock.advance(30 * DAY);
      await prune();
      expect(await importPets('finished', bytes(lines))).toMatchObject({ added: 0, skipped: 1 });
    }
    service.clock.advance(30 * DAY + 1);
    await prune();
    expect(await countRows()).toBe(0);
    expect(await importPets('finished', bytes(lines))).toMatchObject({ added: 1, skipped: 0 });
  });
});
