import fc from 'fast-check';
import { belongsTo, nameOfIndex, nameWhenReplaced, nameWhenReplayed, nameWhileBuilt, tableNameOf } from './projection-tables.js';

const LIVE = { version: 3 };
/** Names that agree in far more than what PostgreSQL keeps of them. */
const longNames = fc
  .tuple(
    fc.string({ unit: fc.constantFrom('a', 'é', '猫', '🐈', '_'), minLength: 64, maxLength: 70 }),
    fc.uniqueArray(fc.nat(), { minLength: 2 }),
  )
  .map(([beginning, ends]) => ends.map((end) => `${beginning}${end}`));

describe('the names of the tables of projections', () => {
  it('are readable where there is room', () => {
    const name = tableNameOf(LIVE, 'pets');
    expect([name, nameWhileBuilt(name, 2), nameWhenReplaced(name, 2), nameWhenReplayed(name), nameOfIndex(name, ['status', 'id'])]).toEqual(
      ['pets_v3', 'pets_v3_build_2', 'pets_v3_retired_2', 'pets_v3_replayed', 'pets_v3_status_id'],
    );
  });

  it('are never cut off by PostgreSQL, and stay apart where they are the same for longer than it would keep', () => {
    fc.assert(
      fc.property(longNames, fc.nat(1_000_000), (tables, generation) => {
        const names = tables.flatMap((table) => {
          const name = tableNameOf(LIVE, table);
          const made = [nameWhileBuilt(name, generation), nameWhenReplaced(name, generation), nameWhenReplayed(name)];
          return [name, ...made, ...made.map((each) => nameOfIndex(each, ['status', 'id'])), nameOfIndex(name, ['status'])];
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
    fc.assert(
      fc.property(fc.oneof(longNames, fc.constant(['pets', 'pets_status'])), fc.nat(1_000_000), (tables, generation) => {
        const [name, other] = tables.map((table) => tableNameOf(LIVE, table));
        const made = [name, nameWhileBuilt(name ?? '', generation), nameWhenReplaced(name ?? '', generation)];
        expect(made.map((each) => belongsTo(name ?? '', each ?? ''))).toEqual([true, true, true]);
        expect(made.map((each) => belongsTo(other ?? '', each ?? ''))).toEqual([false, false, false]);
      }),
    );
    expect(
      ['pets_v3_build', 'pets_v3_build_x', 'pets_v3_build_1_status', 'pets_v30', 'pets_v3_retired_01'].map((name) =>
        belongsTo('pets_v3', name),
      ),
    ).toEqual(Array(5).fill(false));
  });
});
