import pg from 'pg';
import { until } from '#libs/testing';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { startOwnPostgres } from '../../databases/own-postgres.fixture.js';
import type { ApiClient } from '../../e2e/api-client.fixture.js';
import { observe, postAddition } from '../history/clients.fixture.js';
import type { Addition, Attempt } from '../history/history.js';

/** The role as which the service connects; it may do nothing beyond its database. */
export const SERVING_ROLE = 'serving';
const DATABASE = 'adoption';
const WRITE_LOCK = 4_201_337;

/** A server of a test's own with a database for the service. */
export interface ServingPostgres {
  /** The database as the service uses it. */
  readonly url: string;
  /** A session beside the service, in another database, of the role that may do everything. */
  readonly operator: pg.Client;
  /** The process ids of the service's sessions; `writing`: of those whose latest statement belongs to a write. */
  sessions(which?: 'all' | 'writing'): Promise<readonly number[]>;
  /**
   * Tries until a write and a read succeed, no session is left in a transaction and the write lock is free.
   * @param label names the fault, and the animals
   * @returns the animals that it was tried with
   */
  awaitWholeness(client: ApiClient, label: string): Promise<readonly Attempt<Addition>[]>;
}

export async function startServingPostgres(): Promise<ServingPostgres> {
  const server = await startOwnPostgres();
  const operator = new pg.Client({ connectionString: server.url });
  await operator.connect();
  closeAtEnd(() => operator.end());
  await operator.query(`CREATE ROLE ${SERVING_ROLE} LOGIN`);
  await operator.query(`CREATE DATABASE ${DATABASE} OWNER ${SERVING_ROLE}`);
  const url = new URL(server.url);
  url.username = SERVING_ROLE;
  url.pathname = `/${DATABASE}`;
  /** No write of the tests takes a second; a statement or two may, on a machine with other work. */
  const stuckSession = async (): Promise<string | undefined> => {
    const { rows } = await operator.query<{ state: string; locked: boolean; query: string }>(
      `SELECT state, query, EXISTS (SELECT 1 FROM pg_locks WHERE pg_locks.pid = sessions.pid AND locktype = 'advisory'
         AND objid = $1 AND granted) AS "locked"
       FROM pg_stat_activity AS sessions WHERE usename = $2 AND xact_start IS NOT NULL
         AND clock_timestamp() - state_change > interval '1 second' AND state LIKE 'idle in transaction%'`,
      [WRITE_LOCK, SERVING_ROLE],
    );
    const [stuck] = rows;
    return stuck && `a session is ${stuck.state}${stuck.locked ? ' with the write lock' : ''} after ${stuck.query.slice(0, 80)}`;
  };
  return {
    url: url.href,
    operator,
    async sessions(which = 'all') {
      const { rows } = await operator.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE usename = $1
           AND ($2 = 'all' OR query ~ '^(BEGIN|START|COMMIT|INSERT|SELECT pg_logical_emit_message)') ORDER BY pid`,
        [SERVING_ROLE, which],
      );
      return rows.map(({ pid }) => pid);
    },
    async awaitWholeness(client, label) {
      const adds: Attempt<Addition>[] = [];
      let problem: string | undefined;
      await until(
        async () => {
          const add = await addOnce(client, `after ${label}, attempt ${adds.length + 1}`);
          adds.push(add);
          const { status } = await client.get('/v1/pets?limit=100');
          if (add.outcome.kind === 'unknown') problem = 'a write is answered with 503';
          else problem = status === 200 ? await stuckSession() : `a read is answered with ${status}`;
          return problem === undefined;
        },
        () => `${problem}, after ${label}`,
      );
      return adds;
    },
  };
}

/** Adds an animal of this name once, and says what was seen of it. */
export async function addOnce(client: ApiClient, name: string, idempotencyKey?: string): Promise<Attempt<Addition>> {
  const sent = { name, categoryId: '1', valid: true, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  return { sent, ...(await observe(() => postAddition(client, sent))) };
}
