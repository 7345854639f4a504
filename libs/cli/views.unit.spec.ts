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
  it('cuts texts, never figures and times, and leaves out the last columns if there is no room', () => {
    const row = { id: 7n, at: new Date('2026-06-01T12:00:00Z'), type: 'pet-reservation-released', data: '{"a":1,"b":2,"c":3}' };
    expect(lines([row], 120)).toEqual([
      'id  at                    type                      data',
      ' 7  2026-06-01 12:00:00Z  pet-reservation-released  {"a":1,"b":2,"c":3}',
    ]);
    expect(lines([row], 68)[1]).toBe(' 7  2026-06-01 12:00:00Z  pet-reservation-rele…  {"a":1,"b":2,"c":3}');
    expect(lines([row], 60)).toEqual(['id  at                    type', ' 7  2026-06-01 12:00:00Z  pet-reservation-released']);
  });

  it('loses nothing if there is room, and is never wider than the terminal where texts can be cut', () => {
    fc.assert(
      fc.property(anyRows, fc.integer({ min: 60, max: 200 }), (rows, columns) => {
        const narrow = lines(rows, columns);
        for (const line of narrow) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
        const wide = lines(rows, 10_000).join('\n');
        expect(wide).not.toContain('…'.repeat(2));
        expect(narrow).toHaveLength(rows.length + 1);
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
