import { readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLastingDatabase } from './test-database.fixture.js';

/**
 * Returns the database of a service that was started on nothing and stopped. The first file of a run that asks for it makes it, since a copy of
 * it is there sooner than a first start.
 */
export async function startedDatabase(startAndStop: (url: string) => Promise<void>): Promise<string> {
  const kind = globalThis.onServers ? 'postgres' : 'sqlite';
  // The folder is the run's own (test/cleanup/begin-run.mjs).
  const note = join(tmpdir(), `started-${kind}`);
  const known = await readFile(note, 'utf8').catch(() => undefined);
  if (known !== undefined) return known;
  const { url } = await createLastingDatabase(kind);
  await startAndStop(url);
  const own = `${note}-${process.pid}`;
  await writeFile(own, url);
  await rename(own, note);
  return url;
}
