import type { OnApplicationShutdown } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Database, type SqlRunner, type WriteOptions, type WriteTransaction } from '../database.js';
import type { SqlFragment } from '../sql.js';
import type { Availability } from './availability.js';
import { translatePostgresError } from './postgres-errors.js';
import { PostgresRunner } from './postgres-runner.js';
import { postgresDialect } from './postgres.dialect.js';

/** The name of the write lock among the advisory locks of the database. */
const WRITE_LOCK = 4_201_337;
// One round trip; the lock needs a statement of its own, since those after it must see what its last holder committed.
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(${WRITE_LOCK})`;
const BEGIN_WITHOUT_SYNC = `${BEGIN}; SET LOCAL synchronous_commit = off`;

/**
 * A database of a PostgreSQL server. Writers of all processes take turns by one advisory lock that ends with its
 * transaction, after the commit has become visible: so order of positions is order of commits.
 */
export class PostgresDatabase extends Database implements OnApplicationShutdown {
  readonly dialect = postgresDialect;
  readonly reader: SqlRunner;
  private lastWrite: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly writeSource: DataSource,
    private readonly readSource: DataSource,
    private readonly snapshotConnection: DataSourceOptions,
    private readonly availability: Availability,
  ) {
    super();
    this.reader = { dialect: postgresDialect, query: (statement) => this.read(statement) };
  }

  /** The server would have to be asked, as for any read. */
  committedChanges(): undefined {
    return undefined;
  }

  /** Callers of this process queue here, since their connections would only queue for the lock. */
  write<Result>(work: (transaction: WriteTransaction) => Promise<Result>, { durable }: WriteOptions = { durable: true }): Promise<Result> {
    const begin = durable ? BEGIN : BEGIN_WITHOUT_SYNC;
    const result = this.lastWrite.then(() => withClient(this.writeSource, (client) => transact(client, begin, work)));
    this.lastWrite = result.catch(() => undefined);
    return result;
  }

  async snapshot<Result>(work: (runner: SqlRunner) => Promise<Result>): Promise<Result> {
    const source = await new DataSource(this.snapshotConnection).initialize();
    try {
      return await withClient(source, async (client) => {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
        const result = await work(new PostgresRunner(client));
        await client.query('ROLLBACK');
        return result;
      });
    } finally {
      await source.destroy();
    }
  }

  onApplicationShutdown(): void {
    this.availability.close();
  }

  private read<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    return withClient(this.readSource, (client) => new PostgresRunner(client).query<Row>(statement));
  }
}

async function transact<Result>(
  client: ClientBase,
  begin: string,
  work: (transaction: WriteTransaction) => Promise<Result>,
): Promise<Result> {
  const transaction = new PostgresRunner(client);
  const begun = client.query(begin);
  // What is sent after it fails where it fails, and with its error.
  begun.catch((error: unknown) => transaction.failWith(error));
  try {
    const result = await work(transaction);
    await begun;
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed, so PostgreSQL rolled it back');
    return result;
  } catch (error) {
    // The error that matters is the first; a connection that cannot roll back is dropped by the pool, and the server then rolls back.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function withClient<Result>(source: DataSource, work: (client: ClientBase) => Promise<Result>): Promise<Result> {
  const runner = source.createQueryRunner();
  try {
    return await work((await runner.connect()) as ClientBase);
  } catch (error) {
    throw translatePostgresError(error);
  } finally {
    await runner.release();
  }
}
