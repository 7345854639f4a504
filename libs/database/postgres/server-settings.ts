import type { DataSource, QueryRunner } from 'typeorm';
import { USE_SESSION_MODE } from './greeting.js';

/**
 * Asks two connections that are open for their sessions in turns: a pooler that mixes sessions gives the one that was left last, or the one
 * that has rested longest.
 * @throws Error when a session of the server is not kept for its connection
 */
export async function assertOwnSessions(source: DataSource): Promise<void> {
  const [one, other] = [source.createQueryRunner(), source.createQueryRunner()];
  try {
    await Promise.all([one.connect(), other.connect()]);
    const sessions: (number | undefined)[] = [];
    for (const runner of [one, other, other, one]) sessions.push(await sessionOf(runner));
    const [first, second, secondAgain, firstAgain] = sessions;
    if (first === second || first !== firstAgain || second !== secondAgain) throw new Error(USE_SESSION_MODE);
  } finally {
    await Promise.all([one.release(), other.release()]);
  }
}

/** One sentence for each setting of the server by which an acknowledged write may be lost. */
export async function findUnsafeSettings(source: DataSource): Promise<string[]> {
  const [server] = await source.query<{ fsync: string; synchronousCommit: string }[]>(
    `SELECT current_setting('fsync') AS "fsync", current_setting('synchronous_commit') AS "synchronousCommit"`,
  );
  return [
    ...(server?.fsync === 'off' ? ['PostgreSQL runs with fsync = off: a crash of its machine may destroy the whole database.'] : []),
    ...(server?.synchronousCommit === 'off'
      ? ['PostgreSQL runs with synchronous_commit = off: a crash may lose writes that were acknowledged.']
      : []),
  ];
}

async function sessionOf(runner: QueryRunner): Promise<number | undefined> {
  const [session] = (await runner.query('SELECT pg_backend_pid() AS "pid"')) as { pid: number }[];
  return session?.pid;
}
