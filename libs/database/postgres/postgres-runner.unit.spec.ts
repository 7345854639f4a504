import { isOneOf, raw, sql } from '../sql.js';
import { toQuery } from './postgres-runner.js';

describe('a statement for PostgreSQL', () => {
  const table = raw('"lamps"');

  it('is prepared under the same name whenever it comes', () => {
    const [first, second] = [1n, 2n].map((id) => toQuery(sql`SELECT * FROM ${table} WHERE "id" = ${id}`));
    expect(first?.name).toMatch(/^statement_\d+$/);
    expect(second?.name).toBe(first?.name);
  });

  it('is planned each time if it has a list of values, whatever its length, and has one parameter for it', () => {
    const queries = [[], [1n], Array.from({ length: 40_000 }, (_, index) => BigInt(index))].map((ids) =>
      toQuery(sql`SELECT * FROM ${table} WHERE "id" ${isOneOf(ids)} AND "room" = ${'hall'}`),
    );
    for (const { name, text, values } of queries) {
      expect(name).toBeUndefined();
      expect(text).toBe('SELECT * FROM "lamps" WHERE "id" = ANY($1) AND "room" = $2');
      expect(values).toHaveLength(2);
    }
    expect(queries[1]?.values).toEqual([['1'], 'hall']);
  });
});
