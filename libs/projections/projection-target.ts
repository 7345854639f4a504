import { identifier, type SqlFragment, type SqlRunner } from '#libs/database';
import type { Projection, ProjectionTarget } from './projection.js';
import { tableNameOf } from './table-names.js';

/** Gives the tables of a projection under names that `rename` makes of their live ones, on one connection or transaction. */
export function targetOf(projection: Projection, runner: SqlRunner, rename: (name: string) => string = (name) => name): ProjectionTarget {
  const names = new Map<string, SqlFragment>(
    projection.tables.map(({ name }) => [name, identifier(rename(tableNameOf(projection, name)))]),
  );
  return {
    dialect: runner.dialect,
    query: (statement) => runner.query(statement),
    table(name) {
      const table = names.get(name);
      if (!table) throw new Error(`Projection ${projection.name} does not own a table ${name}.`);
      return table;
    },
  };
}
