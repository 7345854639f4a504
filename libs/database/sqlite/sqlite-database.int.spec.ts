import { copyFile, link, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { DataSource } from 'typeorm';
import { until } from '#libs/testing';
import type { Database } from '../database.js';
import { inspectDatabase } from '../opening/open-database.js';
import { raw } from '../sql.js';
import { markMoved } from './moved-database.js';
import { SqliteEngine } from './sqlite-engine.js';

describe('an SQLite file', () => {
  let folder: string;
  let file: string;
  let database: Database;
  let close: () => Promise<void>;
  const write = () => database.transaction((transaction) => transaction.query(raw('INSERT INTO "rows" DEFAULT VALUES')));
  const unavailable = { code: 'service_unavailable' };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sqlite-database-'));
    file = join(folder, 'test.sqlite');
    ({ database, close } = await openDatabase(file));
  });
  afterEach(async () => {
    await close();
    await rm(folder, { recursive: true });
  });

  it('whose lock another process keeps: gives up for all who wait at once, and continues when the lock is free', async () => {
    const other = new SqliteConnection(file);
    try {
      other.exec('CREATE TABLE "rows" ("id" INTEGER PRIMARY KEY); BEGIN IMMEDIATE');
      const outcomes = await Promise.allSettled([write(), write(), write()]);
      for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: unavailable });
      other.exec('COMMIT');
      await write();
      expect(await database.reader.query(raw('SELECT * FROM "rows"'))).toHaveLength(1);
    } finally {
      other.close();
    }
  });

  it('whose write-ahead log a long reader has made large gets its room back with the writes after it', async () => {
    const reader = new SqliteConnection(file);
    try {
      await database.transaction((transaction) => transaction.query(raw('CREATE TABLE "rows" ("id" INTEGER PRIMARY KEY, "data" BLOB)')));
      reader.exec('BEGIN; SELECT * FROM "rows"');
      await database.transaction((transaction) => transaction.query(raw('INSERT INTO "rows" ("data") VALUES (zeroblob(9000000))')));
      const size = async () => (await database.dialect.storageSize((statement) => database.reader.query(statement))).writeAheadLogBytes;
      const large = await size();
      expect(large).toBe((await stat(`${file}-wal`)).size);
      expect(large).toBeGreaterThan(9_000_000);
      reader.exec('COMMIT');
      // The check of the file, in a process of its own, may hold the log for a while.
      await until(async () => {
        await write();
        return ((await size()) ?? 0) <= 8 * 2 ** 20;
      });
    } finally {
      reader.close();
    }
  });

  describe('that a restart would not find', () => {
    const replace = async (replaced: string) => {
      await copyFile(replaced, `${replaced}.new`);
      await rename(`${replaced}.new`, replaced);
    };
    it.each<[change: string, make: () => Promise<unknown>]>([
      ['removed', () => rm(file)],
      ['moved', () => rename(file, `${file}.old`)],
      ['replaced', () => replace(file)],
      ['replaced', () => replace(`${file}-wal`)],
      ['removed', () => rm(`${file}-wal`)],
    ])('takes no write once it is %s, and says so', async (change, make) => {
      await database.transaction((transaction) => transaction.query(raw('CREATE TABLE "rows" ("id" INTEGER PRIMARY KEY)')));
      await make();
      await expect(write()).rejects.toMatchObject({ ...unavailable, outcome: 'unchanged' });
      expect(database.fault).toMatchObject({ kind: 'moved', reason: expect.stringContaining(change) });
    });

    it('does not acknowledge what it committed meanwhile, and continues when it is put back', async () => {
      await database.transaction((transaction) => transaction.query(raw('CREATE TABLE "rows" ("id" INTEGER PRIMARY KEY)')));
      const whileWriting = database.transaction(async (transaction) => {
        await transaction.query(raw('INSERT INTO "rows" DEFAULT VALUES'));
        await rename(file, `${file}.old`);
      });
      await expect(whileWriting).rejects.toMatchObject({ ...unavailable, outcome: 'unknown' });
      await rename(`${file}.old`, file);
      await write();
      expect(database.fault).toBeUndefined();
    });
  });

  it('marked as moved takes no event from an open service either', async () => {
    await database.transaction((transaction) => transaction.query(raw('CREATE TABLE "events" ("id" INTEGER PRIMARY KEY)')));
    await database.transaction((transaction) => markMoved(transaction, 'adoption at db:5432'));
    const append = database.transaction((transaction) => transaction.query(raw('INSERT INTO "events" DEFAULT VALUES')));
    await expect(append).rejects.toMatchObject(unavailable);
    expect(database.fault).toMatchObject({ kind: 'moved' });
    expect(await inspectDatabase({ kind: 'sqlite', path: file }, [])).toMatchObject({ movedTo: 'adoption at db:5432' });
  });

  it('with two names is served under neither, since each has its own side files', async () => {
    await link(file, join(folder, 'other.sqlite'));
    for (const name of ['test', 'other']) {
      expect(() => new SqliteEngine(join(folder, `${name}.sqlite`)).claim({ creates: true })).toThrow('has 2 names (hard links)');
    }
  });

  it.each(['missing.sqlite', 'missing/missing.sqlite', 'empty.sqlite'])('that is no database yet is not made unasked: %s', async (name) => {
    await writeFile(join(folder, 'empty.sqlite'), '');
    const engine = new SqliteEngine(join(folder, name));
    expect(() => engine.claim({ creates: false })).toThrow(/there is no database at .*db migrate/);
    engine.claim({ creates: true }).release();
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
