import { randomUUID } from 'node:crypto';
import { PATIENT_MILLISECONDS } from '#libs/testing';
import { redisUrl } from './servers.mjs';
import { createPostgresDatabase, createSqliteDatabase, type TestDatabase } from './test-database.fixture.js';

declare global {
  /** Set by the Jest project that runs the suites a second time, on PostgreSQL and Redis. */
  var onServers: true | undefined;
}

/** What the service under test stands on, of the test's own. */
export interface TestBackend {
  /** The variables that name it. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** A file; or, in the second run, a database of the PostgreSQL server and a part of the Redis server. Empty, or a copy. */
export async function createBackend(original?: string): Promise<TestBackend> {
  const { url, remove } = await createDatabase(original);
  return { environment: { DATABASE_URL: url, ...counters() }, remove };
}

/** A database as the run has it: empty, or a copy of one that nobody has open. */
export function createDatabase(original?: string): Promise<TestDatabase> {
  return globalThis.onServers ? createPostgresDatabase(original) : createSqliteDatabase(original);
}

/** The variables of counters that no other test shares, and of a patient database. */
export function counters(): Readonly<Record<string, string>> {
  if (!globalThis.onServers) return {};
  return {
    DATABASE_TIMEOUT_MILLISECONDS: String(PATIENT_MILLISECONDS),
    REDIS_URL: redisUrl,
    REDIS_KEY_PREFIX: `adoption-test-${randomUUID()}:`,
  };
}
