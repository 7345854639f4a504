import { closeSync, fstatSync, mkdtempSync, openSync, readSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Database } from '#libs/database';
import { UnjudgedError } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { startService, UNLIMITED, type Service } from '../e2e/service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { stopAll } from './history/clients.fixture.js';
import { storedStateOf, verifyEvents, walkList } from './history/final-state.fixture.js';
import { RecordingClients } from './history/recording-clients.fixture.js';
import { attemptsSeenBy, type FinalState, type History } from './history/history.js';
import { OrderingClients } from './history/ordering-clients.fixture.js';
import { IS_LONG } from './system/run-form.js';
import { expectNoViolations } from './system/system-under-test.fixture.js';

const ACKNOWLEDGED = IS_LONG ? 2_000 : 100;
const CLIENTS = 2;
const FEWEST_COPIES = 150;
/** Of so many copies one is started as a service. */
const STARTED_OF = 75;
const SCOPES = ['pets', 'orders', 'orders:all', 'pets:write'];

/** The database as a crash at one moment would have left it. */
interface Copy {
  /** On the time line of `performance.now()`. */
  readonly at: number;
  readonly url: string;
  readonly state: FinalState;
}

/** What a commit is: the one statement of the connection that writes, before which all of it can be lost and after which none. */
interface Statements {
  run(text: string, parameters?: readonly unknown[]): unknown[];
}

/**
 * A database file and the two beside it, to be copied. They stay open: closing one would end the locks that this process has on it, and
 * another process that looks at the file would take it for one that nobody has open.
 */
class DatabaseFiles {
  private readonly descriptors: readonly (readonly [suffix: string, descriptor: number])[];

  constructor(url: string) {
    const file = url.slice('sqlite:'.length);
    this.descriptors = ['', '-wal', '-shm'].map((suffix) => [suffix, openSync(file + suffix, 'r')]);
  }

  /** Copies what a start would find now. */
  copyTo(path: string): void {
    for (const [suffix, descriptor] of this.descriptors) {
      const bytes = Buffer.alloc(fstatSync(descriptor).size);
      readSync(descriptor, bytes, 0, bytes.length, 0);
      writeFileSync(path + suffix, bytes);
    }
  }

  close(): void {
    for (const [, descriptor] of this.descriptors) closeSync(descriptor);
  }
}

describe('a database file as it is right before and right after each commit', () => {
  let service: Service;
  let url: string;
  let folder: string;
  let key: string;
  let isWatched = true;
  const copies: Promise<Copy>[] = [];

  beforeEach(async () => {
    folder = makeTemporaryFolder('copies');
    ({ url } = await createSqliteDatabase());
    service = await startService({ environment: { DATABASE_URL: url } });
    const files = new DatabaseFiles(url);
    closeAtEnd(() => files.close());
    closeAtEnd(() => {
      isWatched = false;
      return service.close();
    });
    key = (await service.issueKey({ ...UNLIMITED, scopes: SCOPES })).token;
    copies.length = 0;
    isWatched = true;
    const statements = Reflect.get(service.app.get(Database), 'statements') as Statements;
    const run = statements.run.bind(statements);
    const copy = () => {
      const file = join(mkdtempSync(join(folder, 'copy-')), 'adoption.sqlite');
      files.copyTo(file);
      const copied = { at: performance.now(), url: `sqlite:${file}` };
      const isStarted = copies.length % STARTED_OF === STARTED_OF - 1;
      const read = storedStateOf(copied.url).finally(() => isStarted || rm(dirname(file), { recursive: true }));
      copies.push(read.then((state) => ({ ...copied, state })));
    };
    statements.run = (text, parameters) => {
      if (text !== 'COMMIT' || !isWatched) return run(text, parameters);
      copy();
      const rows = run(text, parameters);
      copy();
      return rows;
    };
  });

  /** Has clients write, and gives what they saw. */
  const write = async (): Promise<Required<History>> => {
    const traffic = { origin: service.origin, key };
    const clients = new RecordingClients(CLIENTS, traffic);
    const ordering = new OrderingClients(CLIENTS, { ...traffic, prefix: 'ordered ' });
    await clients.acknowledgeMore(ACKNOWLEDGED);
    const history = await stopAll([clients, ordering]);
    isWatched = false;
    return history;
  };

  it('has all that was acknowledged before, nothing that nobody sent and nothing half, and starts', async () => {
    const history = await write();
    const made = await Promise.all(copies);
    const violations = made.flatMap(({ at, state }) => {
      const [adds, orders] = [attemptsSeenBy(history.adds, at), attemptsSeenBy(history.orders, at)];
      return checkHistory({ adds, orders, moves: attemptsSeenBy(history.moves, at) }, state);
    });
    expectNoViolations('crash-points', violations, { databaseUrl: made[STARTED_OF - 1]?.url ?? url }, made);
    if (made.length < FEWEST_COPIES) throw new UnjudgedError(`There were ${made.length} copies, of at least ${FEWEST_COPIES}.`);
    for (const { url: copied, state } of made.filter((_, index) => index % STARTED_OF === STARTED_OF - 1)) {
      expect(await verifyEvents(copied)).toEqual([]);
      const started = await startService({ environment: { DATABASE_URL: copied }, polls: false });
      const system = { origin: started.origin, key };
      expect(await walkList(system, '/v1/pets')).toEqual(state.pets.rows);
      expect(await walkList(system, '/v1/store/orders')).toEqual(state.orders.rows);
      const client = new ApiClient(started.origin, key);
      expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
      await started.close();
    }
  });
});
