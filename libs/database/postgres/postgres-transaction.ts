import type { QueryConfig, QueryResult } from 'pg';
import { EventSubscriber, type AfterQueryEvent, type DataSource, type EntitySubscriberInterface } from 'typeorm';
import { DatabaseUnavailableError } from '../database.errors.js';
import type { Committing, TransactionOptions, TransactionWork } from '../database.js';
import type { TransactionRunner } from '../entities/transaction-runner.js';
import { runnerOn, send } from './postgres-statements.js';
import type { ServerClient } from './servers.js';

const WARNING = '01000';

/** The name of the write lock among the advisory locks of the database. */
const WRITE_LOCK = 4_201_337;

/**
 * Asked by each statement, since it may be set at any time. With standbys that a commit waits for, a record on this server's disk
 * could still vanish with it.
 */
const HAS_NO_STANDBYS = `current_setting('synchronous_standby_names') = ''`;

/** Makes the commit not wait for the disk, and says so, unless there are standbys to wait for. */
const COMMIT_AHEAD = `SELECT ${HAS_NO_STANDBYS} AS "ahead",
  set_config('synchronous_commit', CASE WHEN ${HAS_NO_STANDBYS} THEN 'off' ELSE current_setting('synchronous_commit') END, true)`;

/**
 * A transaction that ends when the write-ahead log is on disk up to here. It writes a record, since PostgreSQL does not
 * wait for a transaction that has written none.
 */
const FLUSH = `pg_logical_emit_message(true, 'adoption', '')`;
const FLUSH_ALWAYS = { name: 'flush', text: `SELECT ${FLUSH}` } as const satisfies QueryConfig;

/** Whether something is visible that is not on disk yet. If commits wait for standbys, nothing is visible before these have it. */
const IS_PENDING = `${HAS_NO_STANDBYS} AND pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn()`;

/** The same as `FLUSH`, if something is not on disk yet; without a write if all is. */
export const FLUSH_IF_PENDING = {
  name: 'flush_if_pending',
  text: `SELECT CASE WHEN ${IS_PENDING} THEN ${FLUSH} END`,
} as const satisfies QueryConfig;

/** Of a row: whether all that its statement has seen is on disk, since a row is made after the statement's snapshot was taken. */
export const ON_DISK = { name: 'on_disk', column: `NOT (${IS_PENDING}) AS "on_disk"` } as const;

/** Keeps what a repository has read until it is on disk: a commit may be visible before that (ADR 16). */
@EventSubscriber()
export class DurableReads implements EntitySubscriberInterface {
  async afterQuery({ success, query, queryRunner }: AfterQueryEvent): Promise<void> {
    if (success && query !== FLUSH_IF_PENDING.text) await queryRunner.query(FLUSH_IF_PENDING.text);
  }
}

/**
 * Runs a write transaction on a connection that is kept for it until it is durable. Statements that are sent before the beginning is
 * answered cannot take effect if it fails: outside of it the session may only read.
 */
export async function transact<Result>(
  source: DataSource,
  client: ServerClient,
  work: TransactionWork<Result>,
  { durable, locked }: TransactionOptions,
): Promise<Committing<Result>> {
  const transaction = runnerOn(client, source);
  const answered = send(client, { text: beginning(durable) });
  // First, since the statements behind it fail too, by an error that says less.
  answered.catch((error: unknown) => transaction.failWith(error));
  const begun = answered.then((results) => {
    locked();
    return results;
  });
  begun.catch((error: unknown) => transaction.failWith(error));
  try {
    const result = await transaction.perform(work);
    const isAhead = commitsAhead(await begun);
    transaction.assertNoFailure();
    // In the packet of the last statements: the server continues from one to the other by itself, and makes it a rollback if one has failed.
    const committed = confirmed(client, { text: 'COMMIT' });
    // On the connection of the commit: a server that has crashed since then has ended it.
    const flushed = isAhead ? confirmed(client, FLUSH_ALWAYS) : Promise.resolve();
    return { result, durable: settle(client, transaction, { committed, flushed }) };
  } catch (error) {
    throw await rollBack(client, error, false);
  }
}

/** Waits for the end of a transaction whose commit was sent. */
async function settle(
  client: ServerClient,
  transaction: TransactionRunner,
  { committed, flushed }: { readonly committed: Promise<QueryResult>; readonly flushed: Promise<unknown> },
): Promise<void> {
  const [statements, commit, flush] = await Promise.allSettled([transaction.answered(), committed.then(assertCommitted), flushed]);
  for (const outcome of [statements, commit]) {
    if (outcome.status === 'rejected') throw await rollBack(client, outcome.reason, true);
  }
  if (flush.status === 'rejected') throw new DatabaseUnavailableError(flush.reason, 'unknown');
}

/** One round trip. The lock has a statement of its own, since later ones must see what its last holder committed. */
function beginning(durable: boolean): string {
  return [
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
    durable ? COMMIT_AHEAD : 'SET LOCAL synchronous_commit = off',
    `SELECT pg_advisory_xact_lock(${WRITE_LOCK})`,
  ].join('; ');
}

/** Whether the write lock is released before the commit is on disk: pg gives one result for each statement of the beginning. */
function commitsAhead(begun: unknown): boolean {
  return (begun as QueryResult<{ ahead?: boolean }>[]).some(({ rows }) => rows[0]?.ahead === true);
}

function assertCommitted({ command }: QueryResult): void {
  if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed, so PostgreSQL rolled it back');
}

/** Ends a transaction that failed. Returns the error to throw, once all that the transaction has seen is on disk. */
async function rollBack(client: ServerClient, error: unknown, isCommitting: boolean): Promise<unknown> {
  const [rolledBack, flushed] = await Promise.allSettled([client.query('ROLLBACK'), client.query(FLUSH_IF_PENDING)]);
  // Without a rollback the connection is lost, and with it the answer to the commit.
  if (rolledBack.status === 'rejected') return isCommitting ? new DatabaseUnavailableError(error, 'unknown') : error;
  return flushed.status === 'rejected' ? new DatabaseUnavailableError(flushed.reason) : error;
}

/**
 * Sends a commit or flush. A server that no longer waits for its standbys sends a warning, and confirms data that only it has.
 * @throws DatabaseUnavailableError of unknown outcome then
 */
async function confirmed(client: ServerClient, query: QueryConfig): Promise<QueryResult> {
  const warnings: string[] = [];
  const note = ({ code, message = '' }: { readonly code?: string | undefined; readonly message?: string | undefined }) => {
    if (code === WARNING) warnings.push(message);
  };
  client.on('notice', note);
  try {
    const result = await send(client, query);
    if (warnings.length > 0) throw new DatabaseUnavailableError(new Error(warnings.join('; ')), 'unknown');
    return result;
  } finally {
    client.off('notice', note);
  }
}
