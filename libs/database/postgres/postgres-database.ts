import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { systemTimers } from '#libs/observability';
import { Database, pipelined } from '../database.js';
import type { Committing, SqlRunner, TransactionOptions, TransactionWork, WriteTransaction } from '../database.js';
import { raw, sql, type SqlFragment } from '../sql.js';
import { FLUSH_IF_PENDING, ON_DISK, transact } from './postgres-transaction.js';
import { runnerOn, send, toQuery } from './postgres-statements.js';
import { postgresDialect } from './postgres.dialect.js';
import type { ServerClient } from './servers.js';
import { DatabaseUnavailableError, translateDatabaseError } from '../database.errors.js';
import type { DataSources } from '../engine.js';

/**
 * A database of a PostgreSQL server. Writers of all processes take turns by one advisory lock that ends with its transaction, after the
 * commit has become visible: so order of positions is order of commits. A commit may be visible before it is on disk, while the next
 * one is under way; readers of it wait for the disk. See docs/adr/0016-postgresql-one-write-lock-and-bounded-waits.md.
 */
export class PostgresDatabase extends Database {
  readonly dialect = postgresDialect;
  readonly reader: SqlRunner = { dialect: postgresDialect, onDisk: raw(ON_DISK.column), query: (statement) => this.read(statement) };

  /** @param endsReads whether a read has an end: a command may read for as long as it takes */
  constructor(
    private readonly sources: DataSources,
    readonly maxWaitMilliseconds: number,
    private readonly endsReads: boolean,
  ) {
    super();
  }

  /** Unknown: asking the server costs as much as a read. */
  committedChanges(): undefined {
    return undefined;
  }

  onConnectionReplaced(listener: () => void): void {
    let hasEnded = false;
    for (const pool of [this.sources.write, this.sources.read].map(poolOf)) {
      pool.on('remove', () => (hasEnded = true));
      pool.on('connect', () => {
        if (hasEnded) listener();
        hasEnded = false;
      });
    }
  }

  snapshot<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result> {
    return withPooledClient(this.sources.write, async (client) => {
      // Temporary tables are made in it.
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE');
      // The first statement takes the snapshot. What it sees is on disk after the next read.
      await client.query('SELECT 1');
      await this.reader.query(sql`SELECT 1`);
      const transaction = runnerOn(client, this.sources.write);
      const result = await work(transaction);
      await transaction.answered();
      await client.query('ROLLBACK');
      return result;
    });
  }

  /**
   * Keeps the connection until the transaction is durable, which shows that the server has not crashed since the commit. `durable` resolves
   * after the connection was returned, so that a caller who writes again and again needs no second.
   */
  protected transact<Result>(work: TransactionWork<Result>, options: TransactionOptions): Promise<Committing<Result>> {
    return new Promise((resolve, reject) => {
      const givenBack = withPooledClient(this.sources.write, async (client) => {
        const { result, durable } = await transact(this.sources.write, client, work, options);
        resolve({ result, durable: givenBack });
        await durable;
      });
      givenBack.catch(reject);
    });
  }

  private async read<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    const reading = withPooledClient(this.sources.read, async (client) => {
      const query = toQuery(statement);
      const found = send<Row & { readonly [ON_DISK.name]?: boolean }>(client, query);
      // Until all that it has seen is on disk.
      if (!query.text.includes(ON_DISK.column)) await pipelined([found, send(client, FLUSH_IF_PENDING)]);
      else if (!(await found).rows.some((row) => row[ON_DISK.name])) await send(client, FLUSH_IF_PENDING);
      return (await found).rows;
    });
    if (this.endsReads && !(await systemTimers.within(reading, this.maxWaitMilliseconds))) {
      throw new DatabaseUnavailableError(new Error('no answer in time'));
    }
    return reading;
  }
}

const NOT_IN_A_TRANSACTION = 'I';

/** The pool in TypeORM's driver, which does not declare it. */
function poolOf(source: DataSource): Pool {
  return (source.driver as unknown as { readonly master: Pool }).master;
}

/**
 * Runs `work` on a connection of the pool. A connection whose transaction is not known to have ended is not returned: its next user
 * would commit that transaction.
 * @throws DatabaseUnavailableError
 */
async function withPooledClient<Result>(source: DataSource, work: (client: ServerClient) => Promise<Result>): Promise<Result> {
  const pooled = await poolOf(source)
    .connect()
    .catch((error: unknown) => {
      throw new DatabaseUnavailableError(error);
    });
  const client = pooled as unknown as ServerClient;
  try {
    return await work(client);
  } catch (error) {
    throw translateDatabaseError(error);
  } finally {
    const hasEnded = client.getTransactionStatus() === NOT_IN_A_TRANSACTION;
    if (!hasEnded) client.destroy();
    pooled.release(!hasEnded);
  }
}
