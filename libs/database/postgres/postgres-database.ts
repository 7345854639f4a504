import type { OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { PoolClient } from 'pg';
import { systemTimers } from '#libs/observability';
import { Database, pipelined } from '../database.js';
import type { Committing, SqlRunner, TransactionOptions, TransactionWork, WriteTransaction } from '../database.js';
import { sql, type SqlFragment } from '../sql.js';
import { traceStatement } from '../traced-statements.js';
import type { Availability } from './availability.js';
import { FLUSH_IF_PENDING, transact } from './postgres-transaction.js';
import { withDeadline, PostgresRunner, toQuery, translatePostgresError } from './postgres-runner.js';
import { postgresDialect } from './postgres.dialect.js';
import { DatabaseUnavailableError } from '../database.errors.js';
import type { DataSources } from '../engine.js';

interface PostgresDatabaseOptions {
  /** For connections of their own that each have one snapshot. */
  readonly snapshotConnection: DataSourceOptions;
  readonly availability: Availability;
  readonly maxWaitMilliseconds: number;
}

/**
 * A database of a PostgreSQL server. Writers of all processes take turns by one advisory lock that ends with its transaction, after the
 * commit has become visible: so order of positions is order of commits. A commit may be visible before it is on disk, while the next
 * one is under way; readers of it wait for the disk. See docs/adr/0016-postgresql-one-write-lock-and-bounded-waits.md.
 */
export class PostgresDatabase extends Database implements OnApplicationShutdown {
  readonly dialect = postgresDialect;
  readonly maxWaitMilliseconds: number;
  readonly reader: SqlRunner;

  constructor(
    private readonly sources: DataSources,
    private readonly options: PostgresDatabaseOptions,
  ) {
    super();
    this.maxWaitMilliseconds = options.maxWaitMilliseconds;
    this.reader = { dialect: postgresDialect, query: (statement) => this.read(statement) };
  }

  /** Unknown: asking the server costs as much as a read. */
  committedChanges(): undefined {
    return undefined;
  }

  onConnectionReplaced(listener: () => void): void {
    this.options.availability.onReplaced(listener);
  }

  async snapshot<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result> {
    const source = new DataSource(this.options.snapshotConnection);
    await source.initialize().catch((error: unknown) => {
      throw translatePostgresError(error);
    });
    try {
      return await withPooledClient(source, this.deadline(), async (client) => {
        // Temporary tables are made in it.
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE');
        // The first statement takes the snapshot. What it sees is on disk after the next read.
        await client.query('SELECT 1');
        await this.reader.query(sql`SELECT 1`);
        const transaction = new PostgresRunner(client);
        const result = await work(transaction);
        await transaction.answered();
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

  /**
   * Keeps the connection until the transaction is durable, which shows that the server has not crashed since the commit. `durable` resolves
   * after the connection was returned, so that a caller who writes again and again needs no second.
   */
  protected transact<Result>(work: TransactionWork<Result>, options: TransactionOptions): Promise<Committing<Result>> {
    return new Promise((resolve, reject) => {
      const givenBack = withPooledClient(this.sources.write, options.deadline, async (client) => {
        const { result, durable } = await transact(this.sources.write, client, work, options);
        resolve({ result, durable: givenBack });
        await durable;
      });
      givenBack.catch(reject);
    });
  }

  private read<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    const deadline = this.deadline();
    return withPooledClient(this.sources.read, deadline, async (client) => {
      const query = toQuery(statement);
      const found = traceStatement('postgres', query.text, () => client.query<Row>(withDeadline(deadline, query)));
      await pipelined([found, this.flushIfPending(client, deadline)]);
      return (await found).rows;
    });
  }

  /** Waits until all that the statements before it have seen is on disk. */
  private flushIfPending(client: PoolClient, deadline: number): Promise<unknown> {
    return client.query(withDeadline(deadline, FLUSH_IF_PENDING));
  }

  private deadline(): number {
    return performance.now() + this.maxWaitMilliseconds;
  }
}

const NOT_IN_A_TRANSACTION = 'I';

type Release = (discard?: Error) => void;

/** A member of TypeORM's driver for PostgreSQL that is not declared well. */
interface PoolingDriver {
  obtainMasterConnection(): Promise<[PoolClient, Release]>;
}

/**
 * Runs `work` on a connection of the pool. A connection whose transaction is not known to have ended is not returned: its next user
 * would commit that transaction.
 * @param deadline until when a connection must be had, in terms of `performance.now()`
 * @throws DatabaseUnavailableError
 */
async function withPooledClient<Result>(
  source: DataSource,
  deadline: number,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  try {
    const [client, release] = await obtain(source, deadline);
    client.on('error', ignore);
    try {
      return await work(client);
    } finally {
      client.off('error', ignore);
      giveBack(client, release);
    }
  } catch (error) {
    throw translatePostgresError(error);
  }
}

async function obtain(source: DataSource, deadline: number): Promise<[PoolClient, Release]> {
  const obtained = (source.driver as unknown as PoolingDriver).obtainMasterConnection();
  if (await systemTimers.within(obtained, deadline - systemTimers.now())) return obtained;
  obtained.then(
    ([, release]) => release(),
    () => undefined,
  );
  throw new DatabaseUnavailableError(new Error('no connection was had in time'));
}

/** The server itself rolls back what it finds open when its connection ends. */
function giveBack(client: PoolClient, release: Release): void {
  if (client.getTransactionStatus() === NOT_IN_A_TRANSACTION) {
    release();
    return;
  }
  // An orderly end would wait for statements that are never answered.
  (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream.destroy();
  release(new Error('the transaction of this connection is not known to have ended'));
}

/** A lost connection fails its statements too; an `error` that nobody listens to would end the process. */
function ignore(): void {}
