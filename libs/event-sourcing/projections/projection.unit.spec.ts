import fc from 'fast-check';
import { belongsTo, indexName, replayTableName, buildTableName, projectionTableName } from './projection.js';

const LIVE = { version: 3 };
/** Names that agree in far more than what PostgreSQL keeps of them. */
const longNames = fc
  .tuple(
    fc.string({ unit: fc.constantFrom('a', 'é', '猫', '🐈', '_'), minLength: 64, maxLength: 70 }),
    fc.uniqueArray(fc.nat(), { minLength: 2 }),
  )
  .map(([beginning, ends]) => ends.map((end) => `${beginning}${end}`));

describe('the names of the tables of projections', () => {
  it('are never cut off by PostgreSQL, and stay distinct even with equal beginnings longer than its limit', () => {
    fc.assert(
      fc.property(longNames, fc.nat(1_000_000), (tables, generation) => {
        const names = tables.flatMap((table) => {
          const name = projectionTableName(LIVE, table);
          const made = [buildTableName(name, generation), replayTableName(name)];
          return [name, ...made, ...made.map((each) => indexName(each, ['status', 'id'])), indexName(name, ['status'])];
        });
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) {
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63);
          expect(Buffer.from(name).toString()).toBe(name);
        }
      }),
    );
  });

  it('tell which table they were made for', () => {
    const made = ['pets_v3_build_1', 'pets_v3_retired_12'];
    expect(made.filter((name) => belongsTo('pets_v3', name))).toEqual(made);
    const others = ['pets_v3_build', 'pets_v3_build_x', 'pets_v3_build_1_status', 'pets_v30', 'pets_v3_retired_01'];
    expect(others.filter((name) => belongsTo('pets_v3', name))).toEqual([]);
  });
});
