import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { DataSource } from 'typeorm';
import type { Database } from '../database.js';
import { raw } from '../sql.js';
import { SqliteEngine } from './sqlite-engine.js';

describe('writing to a file whose lock another process keeps', () => {
  it('gives up for all who wait at once, and continues when the lock is free', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-database-'));
    const { database, close } = await openDatabase(join(folder, 'test.sqlite'));
    const other = new SqliteConnection(join(folder, 'test.sqlite'));
    const write = () => database.write((transaction) => transaction.query(raw('INSERT INTO "rows" DEFAULT VALUES')));
    try {
      other.exec('CREATE TABLE "rows" ("id" INTEGER PRIMARY KEY); BEGIN IMMEDIATE');
      const outcomes = await Promise.allSettled([write(), write(), write()]);
      for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'service_unavailable' } });
      other.exec('COMMIT');
      await write();
      expect(await database.reader.query(raw('SELECT * FROM "rows"'))).toHaveLength(1);
    } finally {
      other.close();
      await close();
      await rm(folder, { recursive: true });
    }
  });
});

async function openDatabase(path: string): Promise<{ readonly database: Database; close(): Promise<void> }> {
  const engine = new SqliteEngine(path);
  const write = await new DataSource(engine.writeConnection('service')).initialize();
  const read = await new DataSource(engine.readConnection('service')).initialize();
  return {
    database: await engine.open({ write, read }, 'service'),
    async close() {
      await write.destroy();
      await read.destroy();
    },
  };
}
