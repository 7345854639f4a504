import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClockModule, type Clock } from '#libs/clock';
import { Database, DatabaseModule, parseDatabaseUrl, type SqlRunner } from '#libs/database';
import { SettableClock } from '#libs/testing';
import { ApiKeyUses, CreateApiKeyUses1767226300000 } from './api-key-uses.js';

@Module({})
class TestModule {}

describe('the last use of API keys', () => {
  let directory: string;
  let application: INestApplicationContext;
  let clock: SettableClock;
  let writes: number;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'api-key-uses-'));
    clock = new SettableClock(new Date('2026-06-01T12:00:10.500Z'));
    application = await NestFactory.createApplicationContext(testModule(join(directory, 'test.sqlite'), clock), { logger: false });
    const database = application.get(Database);
    const write = database.write.bind(database);
    writes = 0;
    database.write = <Result>(work: (transaction: SqlRunner) => Promise<Result>) => {
      writes += 1;
      return write(work);
    };
  });
  afterEach(async () => {
    await application.close();
    await rm(directory, { recursive: true });
  });

  const lastUses = async (uses: ApiKeyUses) =>
    [...(await uses.lastUses([1n, 2n, 3n]))].map(([id, time]) => [id, time.toISOString()]).sort();

  it('is known to the minute at once, and written for all keys together', async () => {
    const uses = application.get(ApiKeyUses);
    for (let request = 0; request < 100; request += 1) uses.record(request % 2 === 0 ? 1n : 2n);
    const used = [
      [1n, '2026-06-01T12:00:00.000Z'],
      [2n, '2026-06-01T12:00:00.000Z'],
    ];
    expect(await lastUses(uses)).toEqual(used);
    expect(writes).toBe(0);
    await uses.write();
    expect(writes).toBe(1);
    expect(await lastUses(new ApiKeyUses(application.get(Database), clock))).toEqual(used);
  });

  it('tells which were used last, also those that are not written yet', async () => {
    const uses = application.get(ApiKeyUses);
    const latest = async (limit: number) => [...(await uses.latestUsed(limit)).keys()];
    for (const key of [1n, 2n, 3n]) {
      uses.record(key);
      clock.advance(60_000);
    }
    await uses.write();
    uses.record(1n);
    clock.advance(60_000);
    uses.record(4n);
    expect(await latest(10)).toEqual([4n, 1n, 3n, 2n]);
    expect(await latest(2)).toEqual([4n, 1n]);
  });

  it('is written again only for keys whose minute has changed', async () => {
    const uses = application.get(ApiKeyUses);
    uses.record(1n);
    await uses.write();
    uses.record(1n);
    await uses.write();
    expect(writes).toBe(1);
    clock.advance(60_000);
    uses.record(1n);
    await uses.write();
    expect(writes).toBe(2);
    expect(await lastUses(uses)).toEqual([[1n, '2026-06-01T12:01:00.000Z']]);
  });

  it('is never set back by another instance that is behind', async () => {
    const uses = application.get(ApiKeyUses);
    uses.record(1n);
    await uses.write();
    const behind = new ApiKeyUses(application.get(Database), new SettableClock(new Date('2026-06-01T11:00:00.000Z')));
    behind.record(1n);
    await behind.write();
    expect(await lastUses(behind)).toEqual([[1n, '2026-06-01T12:00:00.000Z']]);
  });

  it('is kept for the next try when it cannot be written', async () => {
    const uses = application.get(ApiKeyUses);
    const database = application.get(Database);
    const { write } = database;
    database.write = () => Promise.reject(new Error('the disk is full'));
    uses.record(1n);
    await uses.write();
    database.write = write;
    await uses.write();
    expect(await lastUses(new ApiKeyUses(database, clock))).toEqual([[1n, '2026-06-01T12:00:00.000Z']]);
  });
});

function testModule(path: string, clock: Clock) {
  return {
    module: TestModule,
    imports: [
      DatabaseModule.forRoot({
        location: parseDatabaseUrl(`sqlite:${path}`),
        purpose: 'service',
        migrations: [CreateApiKeyUses1767226300000],
      }),
      ClockModule.forRoot({ useValue: clock }),
    ],
    providers: [ApiKeyUses],
  };
}
