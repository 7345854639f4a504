import fc from 'fast-check';
import stringWidth from 'string-width';
import { printableLine } from '#libs/observability';
import { detectStyle, fields, generalView, Table, table, toned, type Cell, type Cells, type Terminal } from './views.js';

const plain = (columns: number): Terminal => ({ columns, style: (_tone, text) => text });
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

describe('a table', () => {
  it('has figures to the right and texts to the left', () => {
    expect(
      lines([
        { id: 7, name: 'Rex', used: '3 of 60' },
        { id: 12n, name: null, used: true },
      ]),
    ).toEqual(['id  name  used', ' 7  Rex   3 of 60', '12  -     yes']);
  });

  it('never cuts a whole text, and drops the last of the others if there is no room', () => {
    const at = { text: '2026-06-01 12:00:00Z', isWhole: true };
    const type = { text: 'pet-reservation-released', isWhole: true };
    const row = { position: 7, at, stream: 'api-key-12345', version: 1, type, by: 'api-key-12345', data: '{"a":1,"b":2}' };
    const [headings, line] = lines([row]);
    expect(headings).toBe('position  at                    stream         version  type');
    expect(line).toBe('       7  2026-06-01 12:00:00Z  api-key-12345        1  pet-reservation-released');
  });

  it('cuts the widest text where a line is too wide, and never a figure', () => {
    const rows = [{ id: 9_223_372_036_854_775_807n, name: 'a very long name of somebody', note: 'short' }];
    expect(lines(rows, 45)[1]).toBe('9223372036854775807  a very long name…  short');
    expect(lines(rows, 10)[1]).toBe('9223372036854775807  a very …  short');
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

  it('holds its columns in place, whatever is in them', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const marked = rows.map((row) => ({ ...row, end: '|' }));
        const ends = lines(marked, 10_000)
          .slice(1)
          .map((line) => stringWidth(line));
        expect(new Set(ends).size).toBe(1);
      }),
    );
  });

  it('keeps the widths of its first rows for those that follow', () => {
    const several = new Table([{ id: 1, name: 'Rex' }], plain(80));
    expect([several.row({ id: 1, name: 'Rex' }), several.row({ id: 2, name: 'Thomas' })]).toEqual([' 1  Rex', ' 2  Tho…']);
  });
});

describe('what is shown', () => {
  it('can rewrite no terminal and pretend nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = fields<string>((value) => ({ name: value }))(text, plain(80)).join('');
        expect(shown).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
    expect(fields<string>((value) => ({ name: value }))('a\u001b[2K\u202eb\n', plain(80))).toEqual(['name: a\\u001b[2K\\u202eb\\u000a']);
  });

  it('is one line without control characters', () => {
    expect(printableLine(' a\n  b\r\n\u001b[2Kc\u0000\u009b ')).toBe('a b [2Kc');
    expect(printableLine('Änne  \u{1f408} "x"')).toBe('Änne  \u{1f408} "x"');
  });

  it.each([
    [{}, true],
    [{ NO_COLOR: '' }, true],
    [{ NO_COLOR: '1' }, false],
    [{ FORCE_COLOR: '0' }, false],
    [{ TERM: 'dumb' }, false],
  ])('has colours with %j: %s', (environment, expected) => {
    const style = detectStyle(environment);
    const shown = fields<string>((value) => ({ state: toned('bad', value) }))('lost', { columns: 80, style });
    expect(shown[0] === 'state: lost').toBe(!expected);
  });
});

describe('what people see of a result that has no view', () => {
  it('is the members of an object, those within it behind both names', () => {
    const value = { id: 7n, createdAt: new Date('2026-03-01T09:30:05Z'), limits: { perDay: 5 }, scopes: ['a', 'b'], none: null };
    expect(generalView(value, plain(80))).toEqual([
      'id:             7',
      'created at:     2026-03-01 09:30:05Z',
      'limits per day: 5',
      'scopes:         a, b',
    ]);
  });

  it('is a table of several', () => {
    expect(generalView([{ id: 1n, isHere: true }], plain(80))).toEqual(['id  is here', ' 1  yes']);
    expect(generalView([], plain(80))).toEqual(['None.']);
    expect(generalView(['a'], plain(80))).toEqual(['value', 'a']);
  });
});
