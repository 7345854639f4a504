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

/** Runs the statements of a transaction on a connection of `source`, on which the server prepares each text once. */
export function runnerOn(client: ServerClient, source: DataSource): TransactionRunner {
  const query = async <Row extends object>(statement: SqlFragment) => (await send<Row>(client, toQuery(statement))).rows;
  return new TransactionRunner(postgresDialect, query, source, client);
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
