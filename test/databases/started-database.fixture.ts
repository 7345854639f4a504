import { createLastingDatabase } from './test-database.fixture.js';

declare global {
  /** By kind, for all test files of this process. */
  var startedDatabases: Partial<Record<'sqlite' | 'postgres', Promise<string>>> | undefined;
}

/**
 * The database, as the run has it, of a service that was started on nothing and stopped. It is made once a process: most tests begin with
 * a copy, which is there sooner.
 */
export function startedDatabase(startAndStop: (url: string) => Promise<void>): Promise<string> {
  const kind = globalThis.onServers ? 'postgres' : 'sqlite';
  const started = (globalThis.startedDatabases ??= {});
  return (started[kind] ??= makeStarted(kind, startAndStop));
}

async function makeStarted(kind: 'sqlite' | 'postgres', startAndStop: (url: string) => Promise<void>): Promise<string> {
  const { url } = await createLastingDatabase(kind);
  await startAndStop(url);
  return url;
}
