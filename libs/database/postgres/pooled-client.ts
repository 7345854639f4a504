import type { PoolClient, QueryConfig } from 'pg';
import type { DataSource } from 'typeorm';
import { settledWithin } from '#libs/clock';
import { DatabaseUnavailableError } from '../database.errors.js';
import { translatePostgresError } from './postgres-errors.js';

// With less a connection that is well would be taken for one that does not answer.
const SHORTEST_TIMEOUT_MILLISECONDS = 250;
const NOT_IN_A_TRANSACTION = 'I';

type Release = (discard?: Error) => void;

/** What TypeORM's driver for PostgreSQL has and does not declare well. */
interface PoolingDriver {
  obtainMasterConnection(): Promise<[PoolClient, Release]>;
}

/**
 * Runs `work` on a connection of the pool. One whose transaction is not known to have ended never goes back: whoever got it next
 * would commit what stands in it.
 * @param deadline until when a connection must be had, on the time line of `performance.now()`
 * @throws DatabaseUnavailableError
 */
export async function withPooledClient<Result>(
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

/** A statement that has to be answered by a deadline, where connections are bounded. */
export function answeredBy(deadline: number, statement: QueryConfig): QueryConfig & { readonly timeout: number } {
  return { ...statement, timeout: Math.max(deadline - performance.now(), SHORTEST_TIMEOUT_MILLISECONDS) };
}

async function obtain(source: DataSource, deadline: number): Promise<[PoolClient, Release]> {
  const obtained = (source.driver as unknown as PoolingDriver).obtainMasterConnection();
  if (await settledWithin(obtained, deadline - performance.now())) return obtained;
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
  // A farewell would wait behind statements that are never answered.
  (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream.destroy();
  release(new Error('the transaction of this connection is not known to have ended'));
}

/** A lost connection fails its statements, which tell; an `error` that nobody listens to would end the process. */
function ignore(): void {}
