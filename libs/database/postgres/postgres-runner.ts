import type { ClientBase, QueryConfig } from 'pg';
import type { SqlRunner } from '../database.js';
import { render, type SqlFragment } from '../sql.js';
import { tracedStatement } from '../traced-statements.js';
import { translatePostgresError } from './postgres-errors.js';
import { postgresDialect } from './postgres.dialect.js';

// A statement with more is one of many lengths, which would fill the server's memory with plans used once.
const MOST_PARAMETERS_OF_A_PREPARED = 12;
const MOST_PREPARED = 300;

const names = new Map<string, string>();

/** Runs statements on one connection; those that come again are prepared by the server once for each connection. */
export class PostgresRunner implements SqlRunner {
  readonly dialect = postgresDialect;

  private failure: { readonly error: unknown } | undefined;

  constructor(private readonly client: ClientBase) {}

  /** @throws the error of the statement that failed first, if one did: nothing is sent after it. */
  async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    this.refuseFailure();
    try {
      const query = toQuery(statement);
      const { rows } = await tracedStatement('postgres', query.text, () => this.client.query<Row>(query));
      return rows;
    } catch (error) {
      throw this.failWith(error);
    }
  }

  /** The first error of a transaction, which it ends with: those of statements sent before it was known only say that there was one. */
  failWith(error: unknown): unknown {
    this.failure ??= { error: translatePostgresError(error) };
    return this.failure.error;
  }

  /** @throws the first error, if there was one. */
  refuseFailure(): void {
    if (this.failure) throw this.failure.error;
  }
}

/**
 * The statement as pg takes it. One with a list of values is planned each time: the plan made for a table with few rows reads all of them,
 * and would go on reading all when there are many, until somebody analyses the table.
 */
export function toQuery(statement: SqlFragment): QueryConfig {
  const { text, parameters: values } = render(statement, postgresDialect);
  const name = values.some(Array.isArray) ? undefined : nameOf(text, values.length);
  return name === undefined ? { text, values: [...values] } : { name, text, values: [...values] };
}

/** The name of a statement to prepare; undefined for one that is not. */
function nameOf(text: string, parameters: number): string | undefined {
  if (parameters > MOST_PARAMETERS_OF_A_PREPARED) return undefined;
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST_PREPARED) return known;
  const name = `statement_${names.size + 1}`;
  names.set(text, name);
  return name;
}
