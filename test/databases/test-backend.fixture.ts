import { randomUUID } from 'node:crypto';
import { redisUrl } from './servers.mjs';
import { createPostgresDatabase, createSqliteDatabase, type TestDatabase } from './test-database.fixture.js';

declare global {
  /** Set by the Jest project that runs the suites a second time, on PostgreSQL and Redis. */
  var onServers: true | undefined;
}

/** What the service under test stands on, of the test's own and empty at first. */
export interface TestBackend {
  /** The variables that name it. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** A file; or, in the second run, a database of the PostgreSQL server and a part of the Redis server. */
export async function createBackend(): Promise<TestBackend> {
  const { url, remove } = await createDatabase();
  return { environment: { DATABASE_URL: url, ...counters() }, remove };
}

/** A database as the run has it. */
export function createDatabase(): Promise<TestDatabase> {
  return globalThis.onServers ? createPostgresDatabase() : createSqliteDatabase();
}

/** Counters that no other test shares. A patient timeout: the machine of the tests may be slow, which is not what they are about. */
function counters(): Readonly<Record<string, string>> {
  if (!globalThis.onServers) return {};
  return { DATABASE_TIMEOUT_MILLISECONDS: '15000', REDIS_URL: redisUrl, REDIS_KEY_PREFIX: `adoption-test-${randomUUID()}:` };
}
