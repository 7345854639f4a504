import { ago, bytes, count, duration, figureText, milliseconds, percent, phrase, until, valueText } from './wording.mjs';

const NOW = Date.parse('2026-01-02T03:04:05Z');

describe('the wording of figures', () => {
  it.each([
    [1234567, '1,234,567'],
    [0.12345, '0.123'],
    ['9007199254740993', '9,007,199,254,740,993'],
    [null, '–'],
  ])('has the thousands of %p apart', (value, text) => {
    expect(count(value)).toBe(text);
  });

  it.each([
    [0, '0 ms'],
    [0.4123, '0.412 ms'],
    [412.3, '412 ms'],
    [999.6, '1 s'],
    [12345, '12.3 s'],
    [null, '–'],
  ])('gives %p milliseconds three digits', (value, text) => {
    expect(milliseconds(value)).toBe(text);
  });

  it.each([
    [0, '0 B'],
    [1023, '1,020 B'],
    [1024, '1 KiB'],
    [812345678, '775 MiB'],
  ])('gives %p bytes a unit', (value, text) => {
    expect(bytes(value)).toBe(text);
  });

  it.each([
    [0.4, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [252, '4 min 12 s'],
    [98765, '1 d 3 h'],
    [-5, '0 s'],
  ])('says %p seconds in two units', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });

  it('tells times by the clock that it is given', () => {
    expect(ago('2026-01-02T03:03:53Z', NOW)).toBe('12 s ago');
    expect(ago(NOW + 500, NOW)).toBe('just now');
    expect(until('2026-01-02T03:05:04.100Z', NOW)).toBe('1 min');
  });

  it('takes the unit of a module’s figure from its name', () => {
    expect(figureText('oldest_seconds', 0.25)).toBe('250 ms');
    expect(figureText('oldest_seconds', 3700)).toBe('1 h 1 min');
    expect(figureText('size_bytes', 2048)).toBe('2 KiB');
    expect(figureText('orders_total', 1200)).toBe('1,200');
    expect(percent(0.5)).toBe('50 %');
  });

  it('makes phrases of names, and lines of values', () => {
    expect(['pet-status-set', 'api-key-issued', 'categoryId'].map(phrase)).toEqual(['Pet status set', 'API key issued', 'Category id']);
    expect([null, 7, ['a', 'b'], [], { a: 1 }, '<b>'].map((value) => valueText(value))).toEqual([
      'none',
      '7',
      'a, b',
      'none',
      '{"a":1}',
      '<b>',
    ]);
  });
});
