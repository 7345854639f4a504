import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { fields, table, toned, type Cell, type Cells, type Terminal } from './views.js';

const plain = (columns: number): Terminal => ({ columns, stream: new PassThrough() });
const ownCells = (row: Cells) => row;
const lines = (rows: readonly Cells[], columns = 80) => table('None.', ownCells)(rows, plain(columns));

const anyCell: fc.Arbitrary<Cell> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.bigInt({ min: 0n, max: 2n ** 63n }),
  fc.constant(null),
  fc.string().map((text) => toned('bad', text)),
);
const anyRows = fc.array(fc.record({ id: fc.nat(), name: anyCell, 'what it says': anyCell }), { minLength: 1, maxLength: 8 });

describe('a view of the command line', () => {
  it('stands in columns, or as fields if there is no room', () => {
    const row = { id: 7n, at: new Date('2026-06-01T12:00:00Z'), type: 'pet-reservation-released' };
    const columns = ['id  at                    type', ' 7  2026-06-01 12:00:00Z  pet-reservation-released'];
    expect(lines([row], 50)).toEqual(columns);
    expect(lines([row], 49)).toEqual(['id:   7', 'at:   2026-06-01 12:00:00Z', 'type: pet-reservation-released', '']);
  });

  it('is never wider than the terminal as columns, and loses nothing', () => {
    fc.assert(
      fc.property(anyRows, fc.integer({ min: 60, max: 200 }), (rows, columns) => {
        const shown = lines(rows, columns);
        if (shown.length === rows.length + 1) for (const line of shown) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
        else expect(shown).toHaveLength(rows.length * 4);
      }),
    );
  });

  it('shows texts that can rewrite no terminal and pretend nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = fields<string>((value) => ({ name: value }))(text, plain(80)).join('');
        expect(shown).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
    expect(fields<string>((value) => ({ name: value }))('a\u001b[2K\u202eb\n', plain(80))).toEqual(['name: a\\u001b[2K\\u202eb\\u000a']);
  });
});
