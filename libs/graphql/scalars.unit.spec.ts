import { DateTimeScalar } from './scalars.js';

const read = (text: unknown): string => DateTimeScalar.parseValue(text).toISOString();

describe('DateTime', () => {
  it.each([
    ['2026-06-01T12:00:00Z', '2026-06-01T12:00:00.000Z'],
    ['2026-06-01t12:00:00.5z', '2026-06-01T12:00:00.500Z'],
    ['2026-06-01T12:00:00.0199999Z', '2026-06-01T12:00:00.019Z'],
    ['2026-06-01T00:30:00.123+02:00', '2026-05-31T22:30:00.123Z'],
    ['2024-02-29T23:59:59-11:59', '2024-03-01T11:58:59.000Z'],
  ])('reads %s', (text, moment) => {
    expect(read(text)).toBe(moment);
  });

  it.each([
    ...['2026-06-01', '2026-06-01T12:00:00', '2026-06-01 12:00:00Z', '2026-02-30T12:00:00Z', '2026-02-29T12:00:00Z'],
    // The moment is of the year 10000 or -1.
    ...['9999-12-31T23:59:59-00:01', '0000-01-01T00:00:59+00:01'],
    ...['2026-13-01T12:00:00Z', '2026-06-01T24:00:00Z', '2026-06-01T12:00:60Z', '2026-06-01T12:00:00.Z', '', 1_780_000_000_000, null],
  ])('refuses %j', (text) => {
    expect(() => read(text)).toThrow(/RFC 3339/);
  });

  it('writes UTC with milliseconds, and dates only', () => {
    expect(DateTimeScalar.serialize(new Date('2026-06-01T12:00:00.007Z'))).toBe('2026-06-01T12:00:00.007Z');
    expect(() => DateTimeScalar.serialize('2026-06-01T12:00:00Z')).toThrow(TypeError);
  });
});
