import type { OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Database, type Committed, type SqlRunner, type TransactionTerms, type WriteTransaction } from '../database.js';
import { pipelined } from '../pipelined.js';
import { sql, type SqlFragment } from '../sql.js';
import { tracedStatement } from '../traced-statements.js';
import type { Availability } from './availability.js';
import { FLUSH_IF_PENDING } from './durability.js';
import { answeredBy, withPooledClient } from './pooled-client.js';
import { translatePostgresError } from './postgres-errors.js';
import { PostgresRunner, toQuery } from './postgres-runner.js';
import { transact } from './postgres-transaction.js';
import { postgresDialect } from './postgres.dialect.js';

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
 * A database of a PostgreSQL server. Writers of all processes take turns by one advisory lock that ends with its transaction, after the
 * commit has become visible: so order of positions is order of commits. A commit may be visible before it is on disk, while the next
 * one is under way; who reads it waits for the disk. See docs/adr/0016-postgresql-one-write-lock-and-bounded-waits.md.
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

  onConnectionReplaced(listener: () => void): void {
    this.options.availability.onReplaced(listener);
  }

  async snapshot<Result>(work: (runner: SqlRunner) => Promise<Result>): Promise<Result> {
    const source = new DataSource(this.options.snapshotConnection);
    await source.initialize().catch((error: unknown) => {
      throw translatePostgresError(error);
    });
    try {
      return await withPooledClient(source, this.deadline(), async (client) => {
        // Temporary tables are made in it.
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE');
        // The first statement takes the snapshot. What a read beside it would show is on disk when that is given.
        await client.query('SELECT 1');
        await this.reader.query(sql`SELECT 1`);
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

  /**
   * The connection is kept until the transaction is durable: by then it has shown that the server has not crashed since the commit. Who
   * waits for that finds the connection given back, so that one who writes again and again needs no second.
   */
  protected transact<Result>(
    work: (transaction: WriteTransaction) => Promise<Result>,
    options: TransactionTerms,
  ): Promise<Committed<Result>> {
    const { writeSource } = this.options;
    return new Promise((resolve, reject) => {
      const givenBack = withPooledClient(writeSource, options.deadline, async (client) => {
        const { result, durable } = await transact(client, work, options);
        resolve({ result, durable: givenBack });
        await durable;
      });
      givenBack.catch(reject);
    });
  }

  private read<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    const { readSource } = this.options;
    const deadline = this.deadline();
    return withPooledClient(readSource, deadline, async (client) => {
      const query = toQuery(statement);
      const found = tracedStatement('postgres', query.text, () => client.query<Row>(answeredBy(deadline, query)));
      await pipelined([found, client.query(answeredBy(deadline, FLUSH_IF_PENDING))]);
      return (await found).rows;
    });
  }

  private deadline(): number {
    return performance.now() + this.patience;
  }
}
