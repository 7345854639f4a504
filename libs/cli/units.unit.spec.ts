import fc from 'fast-check';
import { bytes, duration, formatRelativeTime, instant, when } from './units.js';

const NOW = new Date('2026-03-01T12:00:00Z');

describe('units', () => {
  it.each([
    [1_023, '1023 B'],
    [1_024, '1.0 KiB'],
    [1_572_864n, '1.5 MiB'],
    [2n ** 62n, '4194304.0 TiB'],
  ])('tell %s bytes as %s', (count, text) => {
    expect(bytes(count)).toBe(text);
  });

  it.each([
    [250.4, '250 ms'],
    [999.9, '1000 ms'],
    [65_000, '1 min 5 s'],
    [3_600_000, '1 h'],
    [90_061_000, '1 d 1 h'],
  ])('tell %s milliseconds as %s', (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text);
  });

  it('never tell a duration longer than it is, nor shorter by more than its smaller unit', () => {
    const lengths: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 10 ** 12 }), (milliseconds) => {
        const parts = [...duration(milliseconds).matchAll(/(\d+) (\w+)/g)];
        const told = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (lengths[unit] ?? Number.NaN), 0);
        expect(told).toBeLessThanOrEqual(milliseconds);
        expect(milliseconds - told).toBeLessThan(lengths[parts[0]?.[2] ?? ''] ?? 0);
      }),
    );
  });

  it.each([
    ['2026-03-01T12:00:00.400Z', 'now'],
    ['2026-03-01T12:00:30Z', 'in 30 s'],
    ['2026-03-04T12:00:00Z', 'in 3 d'],
    ['2026-03-01T11:55:00Z', '5 min ago'],
  ])('tell how far %s is: %s', (time, text) => {
    expect(formatRelativeTime(time, NOW)).toBe(text);
  });

  it('show an instant in UTC, and nothing if there is none', () => {
    expect(instant('2026-03-01T09:30:05.999+01:00')).toBe('2026-03-01 08:30:05Z');
    expect(when('2001-03-01T09:30:05Z')).toMatch(/^2001-03-01 09:30:05Z \(\d+ d ago\)$/);
    expect(when(null)).toBeUndefined();
  });
});
