import type { ClientBase, QueryResult } from 'pg';
import type { Committed, TransactionTerms, WriteTransaction } from '../database.js';
import { DatabaseUnavailableError } from '../database.errors.js';
import { tracedStatement } from '../traced-statements.js';
import { confirmed, FLUSH_ALWAYS, FLUSH_IF_PENDING, flush, HAS_NO_STANDBYS } from './durability.js';
import { answeredBy } from './pooled-client.js';
import { PostgresRunner } from './postgres-runner.js';

/** The name of the write lock among the advisory locks of the database. */
const WRITE_LOCK = 4_201_337;
// Of the time that is left. The server gives up before the client does, so that a lock that is held is no reason to end a connection.
const SHARE_OF_THE_SERVER = 5 / 6;
/** Has the commit not wait for the disk, and says so, unless there are standbys to wait for. */
const COMMIT_AHEAD = `SELECT ${HAS_NO_STANDBYS} AS "ahead",
  set_config('synchronous_commit', CASE WHEN ${HAS_NO_STANDBYS} THEN 'off' ELSE current_setting('synchronous_commit') END, true)`;

/**
 * Runs a write transaction on a connection that is kept for it until it is durable. What is sent behind the beginning, before its answer
 * is there, cannot take effect where there was no beginning: on its own a statement is in a transaction that may only read
 * (`connectionOptions`), and the server refuses it.
 */
export async function transact<Result>(
  client: ClientBase,
  work: (transaction: WriteTransaction) => Promise<Result>,
  options: TransactionTerms,
): Promise<Committed<Result>> {
  const traced = <Sent>(text: string, send: () => Sent): Sent => tracedStatement('postgres', text, send);
  const transaction = new PostgresRunner(client);
  const text = beginning(options);
  const begun = traced(text, () => client.query(answeredBy(options.deadline, { text })));
  begun.then(options.locked, (error: unknown) => transaction.failWith(error));
  let isCommitting = false;
  try {
    const result = await work(transaction);
    const isAhead = commitsAhead(await begun);
    transaction.refuseFailure();
    isCommitting = true;
    const committed = traced('COMMIT', () => confirmed(client, () => client.query('COMMIT')));
    // In the same packet: the server goes on from one to the other by itself.
    const durable = isAhead ? traced(FLUSH_ALWAYS.text, () => flush(client)) : Promise.resolve();
    durable.catch(() => undefined);
    refuseRollback(await committed);
    return { result, durable };
  } catch (error) {
    throw await rollBack(client, error, isCommitting);
  }
}

/** One round trip; the lock has a statement of its own, since those after it must see what its last holder committed. */
function beginning({ durable, deadline }: TransactionTerms): string {
  const lockTimeout = Math.max(1, Math.floor((deadline - performance.now()) * SHARE_OF_THE_SERVER));
  return [
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
    `SET LOCAL lock_timeout = ${lockTimeout}`,
    durable ? COMMIT_AHEAD : 'SET LOCAL synchronous_commit = off',
    `SELECT pg_advisory_xact_lock(${WRITE_LOCK})`,
  ].join('; ');
}

/** Whether it gives the write lock back before it is on disk: pg gives one result for each statement of the beginning. */
function commitsAhead(begun: unknown): boolean {
  return (begun as QueryResult<{ ahead?: boolean }>[]).some(({ rows }) => rows[0]?.ahead === true);
}

function refuseRollback({ command }: QueryResult): void {
  if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed, so PostgreSQL rolled it back');
}

/** Ends a transaction that failed. Returns what to throw for it, once what the transaction has seen may be told. */
async function rollBack(client: ClientBase, error: unknown, isCommitting: boolean): Promise<unknown> {
  const rollback = client.query('ROLLBACK');
  const seen = client.query(FLUSH_IF_PENDING);
  const [rolledBack, flushed] = await Promise.allSettled([rollback, seen]);
  // Without a rollback the connection is lost, and with it the answer to the commit.
  if (rolledBack.status === 'rejected') return isCommitting ? new DatabaseUnavailableError(error, 'unknown') : error;
  return flushed.status === 'rejected' ? new DatabaseUnavailableError(flushed.reason) : error;
}
