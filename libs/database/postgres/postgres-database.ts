import type { OnApplicationShutdown } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Database, type SqlRunner, type WriteOptions, type WriteTransaction } from '../database.js';
import { DatabaseUnavailableError } from '../database.errors.js';
import type { SqlFragment } from '../sql.js';
import type { Availability } from './availability.js';
import { answeredBy, withPooledClient } from './pooled-client.js';
import { PostgresRunner, toQuery } from './postgres-runner.js';
import { postgresDialect } from './postgres.dialect.js';

/** The name of the write lock among the advisory locks of the database. */
const WRITE_LOCK = 4_201_337;
// Of the time that is left. The server gives up before the client does, so that a lock that is held is no reason to end a connection.
const SHARE_OF_THE_SERVER = 5 / 6;

export interface PostgresDatabaseOptions {
  readonly writeSource: DataSource;
  readonly readSource: DataSource;
  /** For connections of their own that each have one snapshot. */
  readonly snapshotConnection: DataSourceOptions;
  readonly availability: Availability;
  /** In milliseconds. */
  readonly patience: number;
}

/**
 * A database of a PostgreSQL server. Writers of all processes take turns by one advisory lock that ends with its
 * transaction, after the commit has become visible: so order of positions is order of commits.
 */
export class PostgresDatabase extends Database implements OnApplicationShutdown {
  readonly dialect = postgresDialect;
  readonly patience: number;
  readonly reader: SqlRunner;

  constructor(private readonly options: PostgresDatabaseOptions) {
    super();
    this.patience = options.patience;
    this.reader = { dialect: postgresDialect, query: (statement) => this.read(statement) };
  }

  /** The server would have to be asked, as for any read. */
  committedChanges(): undefined {
    return undefined;
  }

  async snapshot<Result>(work: (runner: SqlRunner) => Promise<Result>): Promise<Result> {
    const source = await new DataSource(this.options.snapshotConnection).initialize();
    try {
      return await withPooledClient(source, this.deadline(), async (client) => {
        // Temporary tables are made in it.
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE');
        const result = await work(new PostgresRunner(client));
        await client.query('ROLLBACK');
        return result;
      });
    } finally {
      await source.destroy();
    }
  }

  onApplicationShutdown(): void {
    this.options.availability.close();
  }

  protected transact<Result>(work: (transaction: WriteTransaction) => Promise<Result>, options: Required<WriteOptions>): Promise<Result> {
    return withPooledClient(this.options.writeSource, options.deadline, (client) => transact(client, work, options));
  }

  private read<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    const deadline = this.deadline();
    return withPooledClient(this.options.readSource, deadline, async (client) => {
      const { rows } = await client.query<Row>(answeredBy(deadline, toQuery(statement)));
      return rows;
    });
  }

  private deadline(): number {
    return performance.now() + this.patience;
  }
}

/**
 * What is sent behind the beginning, before its answer is there, cannot take effect where there was no beginning: on its own a
 * statement is in a transaction that may only read (`connectionOptions`), and the server refuses it.
 */
async function transact<Result>(
  client: ClientBase,
  work: (transaction: WriteTransaction) => Promise<Result>,
  { durable, deadline }: Required<WriteOptions>,
): Promise<Result> {
  const transaction = new PostgresRunner(client);
  const begun = client.query(answeredBy(deadline, { text: beginning({ durable, deadline }) }));
  begun.catch((error: unknown) => transaction.failWith(error));
  let isCommitting = false;
  try {
    const result = await work(transaction);
    await begun;
    transaction.refuseFailure();
    isCommitting = true;
    await commit(client);
    return result;
  } catch (error) {
    const isRolledBack = await client.query('ROLLBACK').then(
      () => true,
      () => false,
    );
    // Without a rollback the connection is lost, and with it the answer to the commit.
    throw isCommitting && !isRolledBack ? new DatabaseUnavailableError(error, 'unknown') : error;
  }
}

/** One round trip; the lock has a statement of its own, since those after it must see what its last holder committed. */
function beginning({ durable, deadline }: Required<WriteOptions>): string {
  const lockTimeout = Math.max(1, Math.floor((deadline - performance.now()) * SHARE_OF_THE_SERVER));
  return [
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
    ...(durable ? [] : ['SET LOCAL synchronous_commit = off']),
    `SET LOCAL lock_timeout = ${lockTimeout}`,
    `SELECT pg_advisory_xact_lock(${WRITE_LOCK})`,
  ].join('; ');
}

async function commit(client: ClientBase): Promise<void> {
  const { command } = await client.query('COMMIT');
  if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed, so PostgreSQL rolled it back');
}
