import pg from 'pg';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { startOwnPostgres } from '../../databases/own-postgres.fixture.js';
import { findStrayStatements, STATEMENT_LOG_SETTINGS } from './statement-log.js';

/** The role as which the service connects; it may do nothing beyond its database. */
export const SERVING_ROLE = 'serving';
const DATABASE = 'adoption';
const WRITE_LOCK = 4_201_337;
// No write of the tests takes as long; a statement or two may, on a machine with other work.
const STUCK_FOR = '1 second';

/** A server of a test's own that writes down every statement, with a database for the service. */
export interface LoggedPostgres {
  /** The database as the service uses it. */
  readonly url: string;
  /** A session beside the service, in another database, of the role that may do everything. */
  readonly operator: pg.Client;
  /** The process ids of the service's sessions; `writing`: of those whose latest statement belongs to a write. */
  sessions(which?: 'all' | 'writing'): Promise<readonly number[]>;
  /** One sentence for each session of the service that stays in a transaction with nothing to do, or keeps the write lock. */
  stuckSessions(): Promise<string[]>;
  /** From here on statements are looked at; before, migrations may run. */
  beginLog(): Promise<void>;
  /** One sentence for each statement since then that took effect apart from its write. */
  strayStatements(): Promise<string[]>;
  /** Ends it before the end of the test. */
  remove(): Promise<void>;
}

export async function startLoggedPostgres(): Promise<LoggedPostgres> {
  const server = await startOwnPostgres(STATEMENT_LOG_SETTINGS);
  const operator = new pg.Client({ connectionString: server.url });
  await operator.connect();
  const endOperator = closeAtEnd(() => operator.end());
  await operator.query(`CREATE ROLE ${SERVING_ROLE} LOGIN`);
  await operator.query(`CREATE DATABASE ${DATABASE} OWNER ${SERVING_ROLE}`);
  const url = new URL(server.url);
  url.username = SERVING_ROLE;
  url.pathname = `/${DATABASE}`;
  let seen = 0;
  return {
    url: url.href,
    operator,
    async sessions(which = 'all') {
      const { rows } = await operator.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE usename = $1 AND ($2 = 'all' OR query ~ '^(BEGIN|START|COMMIT|INSERT|SELECT pg_logical_emit_message)') ORDER BY pid`,
        [SERVING_ROLE, which],
      );
      return rows.map(({ pid }) => pid);
    },
    async stuckSessions() {
      const { rows } = await operator.query<{ pid: number; state: string; locked: boolean; query: string }>(
        `SELECT pid, state, query, EXISTS (SELECT 1 FROM pg_locks WHERE pg_locks.pid = sessions.pid AND locktype = 'advisory'
           AND objid = $1 AND granted) AS "locked"
         FROM pg_stat_activity AS sessions WHERE usename = $2 AND xact_start IS NOT NULL
           AND clock_timestamp() - state_change > interval '${STUCK_FOR}' AND state LIKE 'idle in transaction%'`,
        [WRITE_LOCK, SERVING_ROLE],
      );
      return rows.map(
        ({ state, locked, query }) => `a session is ${state}${locked ? ' with the write lock' : ''} after ${query.slice(0, 80)}`,
      );
    },
    async beginLog() {
      seen = (await server.log()).length;
    },
    strayStatements: async () => findStrayStatements(await server.log(), seen),
    async remove() {
      await endOperator();
      await server.remove();
    },
  };
}
