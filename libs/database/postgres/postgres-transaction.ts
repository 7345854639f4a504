import type { ClientBase, QueryResult } from 'pg';
import type { Tracing } from '#libs/tracing';
import type { Committed, TransactionTerms, WriteTransaction } from '../database.js';
import { DatabaseUnavailableError } from '../database.errors.js';
import { tracedStatement } from '../traced-statements.js';
import { FLUSH_ALWAYS, FLUSH_IF_PENDING, flush } from './durability.js';
import { answeredBy } from './pooled-client.js';
import { PostgresRunner } from './postgres-runner.js';

/** The name of the write lock among the advisory locks of the database. */
const WRITE_LOCK = 4_201_337;
// Of the time that is left. The server gives up before the client does, so that a lock that is held is no reason to end a connection.
const SHARE_OF_THE_SERVER = 5 / 6;

export interface TransactionOptions extends TransactionTerms {
  /** Whether it gives the write lock back before it is on disk. */
  readonly commitsAhead: boolean;
  readonly tracing: Tracing;
}

/**
 * Runs a write transaction on a connection that is kept for it until it is durable. What is sent behind the beginning, before its answer
 * is there, cannot take effect where there was no beginning: on its own a statement is in a transaction that may only read
 * (`connectionOptions`), and the server refuses it.
 */
export async function transact<Result>(
  client: ClientBase,
  work: (transaction: WriteTransaction) => Promise<Result>,
  options: TransactionOptions,
): Promise<Committed<Result>> {
  const { tracing } = options;
  const traced = <Sent>(text: string, send: () => Sent): Sent => tracedStatement(tracing, 'postgres', text, send);
  const transaction = new PostgresRunner(client, tracing);
  const text = beginning(options);
  const begun = traced(text, () => client.query(answeredBy(options.deadline, { text })));
  begun.then(options.locked, (error: unknown) => transaction.failWith(error));
  let isCommitting = false;
  try {
    const result = await work(transaction);
    await begun;
    transaction.refuseFailure();
    isCommitting = true;
    const committed = traced('COMMIT', () => client.query('COMMIT'));
    // In the same packet: the server goes on from one to the other by itself.
    const durable = options.durable && options.commitsAhead ? traced(FLUSH_ALWAYS.text, () => flush(client)) : Promise.resolve();
    durable.catch(() => undefined);
    refuseRollback(await committed);
    return { result, durable };
  } catch (error) {
    throw await rollBack(client, { error, isCommitting, commitsAhead: options.commitsAhead });
  }
}

/** One round trip; the lock has a statement of its own, since those after it must see what its last holder committed. */
function beginning({ durable, deadline, commitsAhead }: TransactionOptions): string {
  const lockTimeout = Math.max(1, Math.floor((deadline - performance.now()) * SHARE_OF_THE_SERVER));
  return [
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
    ...(durable && !commitsAhead ? [] : ['SET LOCAL synchronous_commit = off']),
    `SET LOCAL lock_timeout = ${lockTimeout}`,
    `SELECT pg_advisory_xact_lock(${WRITE_LOCK})`,
  ].join('; ');
}

function refuseRollback({ command }: QueryResult): void {
  if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed, so PostgreSQL rolled it back');
}

interface Failed {
  readonly error: unknown;
  readonly isCommitting: boolean;
  readonly commitsAhead: boolean;
}

/** Ends a transaction that failed. Returns what to throw for it, once what the transaction has seen may be told. */
async function rollBack(client: ClientBase, { error, isCommitting, commitsAhead }: Failed): Promise<unknown> {
  const rollback = client.query('ROLLBACK');
  const seen = commitsAhead ? client.query(FLUSH_IF_PENDING) : rollback;
  const [rolledBack, flushed] = await Promise.allSettled([rollback, seen]);
  // Without a rollback the connection is lost, and with it the answer to the commit.
  if (rolledBack.status === 'rejected') return isCommitting ? new DatabaseUnavailableError(error, 'unknown') : error;
  return flushed.status === 'rejected' ? new DatabaseUnavailableError(flushed.reason) : error;
}
