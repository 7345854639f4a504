import { closeSync, fstatSync, mkdtempSync, openSync, readSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '#libs/database';
import { UnjudgedError } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { startService, UNLIMITED, type Service } from '../e2e/service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { checkOrders } from './history/check-orders.js';
import { orderRowsOf } from './history/final-orders.fixture.js';
import { storedStateOf, verifyEvents, walkList } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { attemptsSeenBy, type FinalState, type History } from './history/history.js';
import type { OrderHistory } from './history/order-history.js';
import { OrderingClients } from './history/ordering-clients.fixture.js';
import { IS_LONG, random } from './system/run-form.js';
import { expectNoViolations } from './system/system-under-test.fixture.js';

const ACKNOWLEDGED = IS_LONG ? 2_000 : 100;
/** So many suffice to find a bug. */
const ACKNOWLEDGED_WITH_A_BUG = 10;
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
  readonly orders: readonly string[];
}

/** What a commit is: the one statement of the connection that writes, before which all of it can be lost and after which none. */
interface Statements {
  run(text: string, parameters?: readonly unknown[]): unknown[];
}

interface KeyAttempt {
  readonly id: bigint;
  readonly ended: number;
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

async function readCopy(url: string, at: number): Promise<Copy> {
  const stored = await storedStateOf(url);
  return { at, url, state: { ...stored, listed: stored.rows, problems: [] }, orders: await orderRowsOf(url) };
}

describe('a database file as it is right before and right after each commit', () => {
  let service: Service;
  let url: string;
  let folder: string;
  let key: string;
  let isWatched = true;
  const copies: Promise<Copy>[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'adoption-copies-'));
    closeAtEnd(() => rm(folder, { recursive: true, force: true }));
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
      const isStarted = copies.length % STARTED_OF === STARTED_OF - 1;
      copies.push(readCopy(`sqlite:${file}`, performance.now()).finally(() => isStarted || rm(dirname(file), { recursive: true })));
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
  const write = async (
    acknowledged: number,
  ): Promise<{ readonly history: History; readonly ordered: OrderHistory; readonly keys: readonly KeyAttempt[] }> => {
    const traffic = { origin: service.origin, key, random };
    const clients = new RecordingClients(CLIENTS, traffic);
    const ordering = new OrderingClients(CLIENTS, { ...traffic, prefix: 'ordered ' });
    const keys: KeyAttempt[] = [];
    while (clients.acknowledged < acknowledged) {
      const issued = await service.issueKey().catch(() => undefined);
      if (issued) keys.push({ id: issued.id, ended: performance.now() });
    }
    const [{ adds, reads }, ordered] = await Promise.all([clients.stop(), ordering.stop()]);
    isWatched = false;
    return { history: { adds: [...adds, ...ordered.adds], reads }, ordered, keys };
  };

  /** What each copy lacks of what had been acknowledged before it was made, and has of what nobody had sent. */
  const findings = async (acknowledged: number): Promise<string[]> => {
    const { history, ordered, keys } = await write(acknowledged);
    const made = await Promise.all(copies);
    return made.flatMap(({ at, state, orders }) => {
      const adds = attemptsSeenBy(history.adds, at);
      const seen = { adds, orders: attemptsSeenBy(ordered.orders, at), moves: attemptsSeenBy(ordered.moves, at) };
      const streams = new Set(state.events.map(({ stream }) => stream));
      const lost = keys.filter(({ id, ended }) => ended < at && !streams.has(`api-key-${id}`));
      return [
        ...checkHistory({ adds, reads: [] }, state),
        ...checkOrders(seen, state, { rows: orders, listed: orders }),
        ...lost.map(({ id }) => `key ${id} was acknowledged and is not in the log`),
      ];
    });
  };

  it('has all that was acknowledged before, nothing that nobody sent and nothing half, and starts', async () => {
    const violations = await findings(ACKNOWLEDGED);
    const made = await Promise.all(copies);
    expectNoViolations('crash-points', violations, { databaseUrl: made[STARTED_OF - 1]?.url ?? url }, made);
    if (made.length < FEWEST_COPIES) throw new UnjudgedError(`There were ${made.length} copies, of at least ${FEWEST_COPIES}.`);
    for (const { url: copied, state, orders } of made.filter((_, index) => index % STARTED_OF === STARTED_OF - 1)) {
      expect(await verifyEvents(copied, folder)).toEqual([]);
      const started = await startService({ environment: { DATABASE_URL: copied }, polls: false });
      const system = { origin: started.origin, key };
      expect(await walkList(system, '/v1/pets')).toEqual(state.rows);
      expect(await walkList(system, '/v1/store/orders')).toEqual(orders);
      const client = new ApiClient(started.origin, key);
      expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
      await started.close();
    }
  });

  it('is seen to lack what is acknowledged before it is committed', async () => {
    const database = service.app.get(Database);
    const transact = Reflect.get(database, 'transact') as Transact;
    Reflect.set(database, 'transact', acknowledgeEarly(transact.bind(database)));
    expect((await findings(ACKNOWLEDGED_WITH_A_BUG)).join('\n')).toMatch(/was acknowledged with id \d+ and is not in the log/);
  });
});

type Transact = (work: (transaction: unknown) => Promise<unknown>, terms: unknown) => Promise<unknown>;

/** Gives the result of a transaction 30 ms before its commit. One is begun after another. */
function acknowledgeEarly(transact: Transact): Transact {
  let previous: Promise<unknown> = Promise.resolve();
  return (work, terms) =>
    new Promise((resolve, reject) => {
      const acknowledge = async (transaction: unknown): Promise<unknown> => {
        const result = await work(transaction);
        resolve({ result, durable: Promise.resolve() });
        await delay(30);
        return result;
      };
      previous = previous.then(() => transact(acknowledge, terms)).catch(reject);
    });
}
