import type { Socket } from 'node:net';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';
import { TransactionRunner } from '../entities/transaction-runner.js';
import { PLANNED_FOR_VALUES, render, type SqlFragment } from '../sql.js';
import { traceStatement } from '../traced-statements.js';
import { postgresDialect } from './postgres.dialect.js';
import type { ServerClient } from './servers.js';

// A statement with more exists in many lengths, which would fill the server's memory with plans used once.
const MAX_PREPARED_PARAMETERS = 32;
const MAX_PREPARED_STATEMENTS = 300;

const names = new Map<string, string>();

/** Runs the statements of a transaction on one connection, on which the server prepares each text once. */
export class PostgresRunner extends TransactionRunner {
  readonly dialect = postgresDialect;

  /** Settles when all that was executed is answered, since the server answers in order. */
  private executed: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: ServerClient,
    source: DataSource,
  ) {
    super(source, client);
  }

  /** @throws the error of the first statement that failed, if one did: nothing is sent after it. */
  async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    this.assertNoFailure();
    try {
      return (await send<Row>(this.client, toQuery(statement))).rows;
    } catch (error) {
      throw this.failWith(error);
    }
  }

  execute(statement: SqlFragment): void {
    this.executed = this.query(statement).catch(() => undefined);
  }

  /**
   * Waits for the answers to the executed statements.
   * @throws the first error, if there was one
   */
  async answered(): Promise<void> {
    await this.executed;
    this.assertNoFailure();
  }
}

/**
 * Sends a statement in a span of its own. Statements of one turn of the event loop are sent in one packet, for which the server wakes once.
 */
export function send<Row extends QueryResultRow>(client: ServerClient, query: QueryConfig): Promise<QueryResult<Row>> {
  gatherWrites(client.connection.stream);
  return traceStatement('postgres', query.text, () => client.query<Row>(query));
}

function gatherWrites(stream: Socket): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Renders a statement for pg. One with a list of values is planned each time: a plan made for a table with few rows reads all of them, and
 * would still do so when there are many, until the table is analysed.
 */
export function toQuery(statement: SqlFragment): QueryConfig {
  const { text, parameters: values } = render(statement, postgresDialect);
  const isPlannedEachTime = values.length > MAX_PREPARED_PARAMETERS || values.some(Array.isArray);
  if (isPlannedEachTime || text.includes(PLANNED_FOR_VALUES)) return { text, values };
  let name = names.get(text);
  if (name === undefined && names.size < MAX_PREPARED_STATEMENTS) names.set(text, (name = `statement_${names.size + 1}`));
  return name === undefined ? { text, values } : { name, text, values };
}
