import { createLastingDatabase } from './test-database.fixture.js';

declare global {
  /** By kind, for all test files of this process. */
  var startedDatabases: Partial<Record<'sqlite' | 'postgres', Promise<string>>> | undefined;
}

/**
 * The database, as the run has it, of a service that was started on nothing and stopped. It is made once a process: most tests begin with
 * a copy, which is there in a tenth of the time.
 */
export function startedDatabase(startAndStop: (url: string) => Promise<void>): Promise<string> {
  const started = (globalThis.startedDatabases ??= {});
  return (started[globalThis.onServers ? 'postgres' : 'sqlite'] ??= makeStarted(startAndStop));
}

async function makeStarted(startAndStop: (url: string) => Promise<void>): Promise<string> {
  const { url } = await createLastingDatabase(globalThis.onServers ? 'postgres' : 'sqlite');
  await startAndStop(url);
  return url;
}
