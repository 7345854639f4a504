import pg from 'pg';
import { parseDatabaseUrl, raw, sql, type Database, type SqlFragment } from '#libs/database';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { startOwnPostgres, type OwnPostgres } from '../databases/own-postgres.fixture.js';
import { counted } from './counting.fixture.js';
import { openStore, type StoreUnderTest } from './store-under-test.js';

/** A disk that takes a tenth of a second, and nobody who writes to it unasked for longer than a test. */
const SLOW_DISK = { commit_delay: '100000', commit_siblings: '0', wal_writer_delay: '10s' };
const KEY = { scope: 'one', key: 'key', fingerprint: 'same' };

/** Bytes of the header of a page of the log, behind which the next record is inserted although nothing of the page is to be flushed. */
const PAGE_HEADER = 24;

/** A place in the write-ahead log, which grows by bytes. */
type WalPosition = number;

describe('commits of PostgreSQL that are seen before they are on disk', () => {
  let server: OwnPostgres;
  let writer: StoreUnderTest;
  let other: StoreUnderTest;
  let observer: pg.Client;

  beforeAll(async () => {
    server = await startOwnPostgres(SLOW_DISK);
  });
  beforeEach(async () => {
    writer = await openStore(parseDatabaseUrl(server.url));
    other = await openStore(parseDatabaseUrl(server.url));
    observer = await connected(server.url);
    await observer.query('CREATE TABLE IF NOT EXISTS "notes" ("number" int)');
  });
  const walPosition = async (name: 'insert' | 'flush'): Promise<WalPosition> => {
    const { rows } = await observer.query<{ bytes: string }>(`SELECT pg_current_wal_${name}_lsn() - '0/0' AS "bytes"`);
    return Number(rows[0]?.bytes);
  };
  const append = ({ store }: StoreUnderTest, idempotency?: typeof KEY) =>
    store.execute(() => [{ stream: { newIn: 'counter' }, events: [counted(1)] }], {
      metadata: { actor: 'system' },
      idempotency,
    });
  const notes = raw('"notes"');
  const select = (what: SqlFragment, where = raw('')) => {
    const { reader } = other.database;
    return reader.query(sql`SELECT ${what}, ${reader.onDisk ?? raw('')} FROM ${notes} ${where}`);
  };
  const countNotes = async () => Number((await observer.query<{ count: string }>('SELECT count(*) FROM "notes"')).rows[0]?.count);

  /** Resolves when the commit is visible. */
  const note = async (database: Database) => {
    const before = await countNotes();
    const committing = await database.commit((transaction) => transaction.execute(sql`INSERT INTO ${notes} VALUES (1)`));
    while ((await countNotes()) === before);
    return committing;
  };

  /** Commits until one is seen that is not yet on disk. Gives its place in the log. */
  const commitAhead = async () => {
    for (;;) {
      const { durable } = await note(writer.database);
      const committed = await walPosition('insert');
      if ((await walPosition('flush')) < committed) return { durable, committed };
    }
  };

  it('are acknowledged when they are on disk', async () => {
    const { durable, committed } = await commitAhead();
    await durable;
    expect(await walPosition('flush')).toBeGreaterThanOrEqual(committed);
    await append(writer);
    expect(await walPosition('flush')).toBeGreaterThanOrEqual((await walPosition('insert')) - PAGE_HEADER);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a read', () => other.database.reader.query(sql`SELECT count(*) FROM ${notes}`)],
    ['a read that asks so itself', () => select(sql`count(*)`)],
    ['such a read that finds nothing', () => select(sql`"number"`, sql`WHERE "number" = 0`)],
    ['a snapshot', () => other.database.snapshot((runner) => runner.query(sql`SELECT count(*) FROM ${notes}`))],
    [
      'a write that changes nothing',
      () => other.database.transaction((transaction) => transaction.query(sql`SELECT count(*) FROM ${notes}`)),
    ],
    [
      'a write that fails by what it has seen',
      async () => {
        const failing = other.database.transaction(async (transaction) => {
          await transaction.query(sql`SELECT count(*) FROM ${notes}`);
          throw new Error('there are too many');
        });
        await expect(failing).rejects.toMatchObject({ message: 'there are too many' });
      },
    ],
  ])('are shown by %s of another instance when they are on disk', async (_, look) => {
    const { committed } = await commitAhead();
    await look();
    expect(await walPosition('flush')).toBeGreaterThanOrEqual(committed);
  });

  it('are replayed to the owner of an idempotency key when they are on disk', async () => {
    const first = append(writer, KEY);
    const isStored = async () => ((await observer.query('SELECT 1 FROM "idempotency_keys"')).rowCount ?? 0) > 0;
    while (!(await isStored()));
    const committed = await walPosition('insert');
    const nothing = () => [];
    const replayed = await other.store.execute(nothing, { metadata: { actor: 'system' }, idempotency: KEY });
    expect(await walPosition('flush')).toBeGreaterThanOrEqual(committed);
    expect(replayed.events).toEqual((await first).events);
  });
});

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  closeAtEnd(() => client.end());
  await client.connect();
  return client;
}
