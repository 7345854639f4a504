import type { Socket } from 'node:net';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { QueryFailedError, type DataSource } from 'typeorm';
import { TransactionRunner } from '../entities/transaction-runner.js';
import { render, type SqlFragment } from '../sql.js';
import { traceStatement } from '../traced-statements.js';
import { postgresDialect } from './postgres.dialect.js';
import { DatabaseUnavailableError } from '../database.errors.js';
import type { ServerClient } from './server-client.js';

// A statement with more exists in many lengths, which would fill the server's memory with plans used once.
const MAX_PREPARED_PARAMETERS = 12;
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

  protected translate(error: unknown): unknown {
    return translatePostgresError(error);
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
  const name = values.some(Array.isArray) ? undefined : statementName(text, values.length);
  return name === undefined ? { text, values: [...values] } : { name, text, values: [...values] };
}

/** Returns the name of a statement to prepare; undefined for one that is not prepared. */
function statementName(text: string, parameters: number): string | undefined {
  if (parameters > MAX_PREPARED_PARAMETERS) return undefined;
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_PREPARED_STATEMENTS) return known;
  const name = `statement_${names.size + 1}`;
  names.set(text, name);
  return name;
}

/**
 * The server is not there, is going down, is full, gives no lock or no answer in time, was not answered in time itself, cannot write or
 * is damaged: SQLSTATE classes of PostgreSQL's appendix A, and codes of Node for connections.
 */
const UNAVAILABLE =
  /^(?:08|25006|25P03|40001|40P01|53|55P03|57014|57P0|58|XX00[12]|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/;
/** Messages of pg, without a code, for a connection that ended. */
const CONNECTION_ENDED =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** Turns an error of the server or the way to it into DatabaseUnavailableError; returns others as they are. */
export function translatePostgresError(error: unknown): unknown {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (cause instanceof DatabaseUnavailableError) return cause;
  // An SQLSTATE, or a name such as `ECONNREFUSED` that Node gave.
  const code = readText(cause, 'code');
  const isUnavailable = code === undefined ? CONNECTION_ENDED.test(readText(cause, 'message') ?? '') : UNAVAILABLE.test(code);
  return isUnavailable ? new DatabaseUnavailableError(cause) : error;
}

/** Not by the class of the error: errors of Node itself may come from another realm. */
function readText(error: unknown, member: 'code' | 'message'): string | undefined {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, member) : undefined;
  return typeof value === 'string' ? value : undefined;
}
