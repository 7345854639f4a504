import fc from 'fast-check';
import { raw, render } from '../sql.js';
import { sqliteDialect } from './sqlite.dialect.js';

// https://www.sqlite.org/limits.html#max_variable_number
const MAX_PARAMETERS = 32_766;

describe('the statements that insert rows', () => {
  it('hold every value once and in order, never more than SQLite takes at once', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2_500 }), fc.integer({ min: 1, max: 40 }), (rowCount, columnCount) => {
        const columns = Array.from({ length: columnCount }, (_, column) => `column${column}`);
        const rows = Array.from({ length: rowCount }, (_, row) => columns.map((_, column) => row * columnCount + column));
        const statements = sqliteDialect
          .insertStatements({ table: raw('"rows"'), columns, rows })
          .map((statement) => render(statement, sqliteDialect));
        expect(statements.flatMap(({ parameters }) => parameters)).toEqual(rows.flat());
        for (const { text, parameters } of statements) {
          expect(text.split('?')).toHaveLength(parameters.length + 1);
          expect(parameters.length).toBeLessThanOrEqual(MAX_PARAMETERS);
        }
      }),
      { numRuns: 20, examples: [[2_500, 40]] },
    );
  });
});
