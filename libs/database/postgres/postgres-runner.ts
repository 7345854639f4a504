import type { ClientBase } from 'pg';
import type { SqlRunner } from '../database.js';
import { render, type SqlFragment } from '../sql.js';
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

  async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    const { text, parameters: values } = render(statement, postgresDialect.placeholder);
    try {
      const name = nameOf(text, values.length);
      const { rows } = await this.client.query<Row>(name === undefined ? { text, values } : { name, text, values });
      return rows;
    } catch (error) {
      throw this.failWith(error);
    }
  }

  /** The first error of a transaction, which it ends with: those of statements sent after it only say that there was one. */
  failWith(error: unknown): unknown {
    this.failure ??= { error: translatePostgresError(error) };
    return this.failure.error;
  }
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
