import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '#libs/http';
import { countWithin, int64, parseDuration, time, trueOrFalse, wholeNumber } from './parsers.js';
import { duration } from './units.js';

const NOT_PLAIN = ['', 'x', '+1', '01', '-0', '1.0', '1e3', ' 1', '1 ', '٣', `${INT64_MAX + 1n}`, `${INT64_MIN - 1n}`];
const MILLISECONDS = { s: 1_000, min: 60_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

describe('a parser of an option', () => {
  const page = wholeNumber('--page must be a whole number from 1', 1n);

  it('reads every int64 in plain digits, and nothing else', () => {
    fc.assert(fc.property(fc.bigInt({ min: 1n, max: INT64_MAX }), (value) => expect(page(value.toString())).toBe(value)));
    expect([int64('--fee')(`${INT64_MIN}`), countWithin('--count', 0, 9)('0')]).toEqual([INT64_MIN, 0]);
    for (const text of [...NOT_PLAIN, '0', '-1']) {
      const refusal = { code: 'invalid_parameter', message: `--page must be a whole number from 1, not "${text}".` };
      expect(() => page(text)).toThrow(expect.objectContaining(refusal));
    }
    for (const text of NOT_PLAIN) expect(() => int64('--fee')(text)).toThrow('--fee must be');
    for (const text of [...NOT_PLAIN, '-1', '10']) expect(() => countWithin('--count', 0, 9)(text)).toThrow('--count must be');
  });

  it('reads times and truths', () => {
    expect(time('--at')('2026-06-01T14:00:00+02:00')).toEqual(new Date('2026-06-01T12:00:00Z'));
    expect(['true', 'false'].map(trueOrFalse('--urgent'))).toEqual([true, false]);
    expect(() => time('--at')('tomorrow')).toThrow('--at must be a time such as 2026-06-01T12:00:00Z, not "tomorrow".');
    expect(() => trueOrFalse('--urgent')('yes')).toThrow('--urgent must be true or false, not "yes".');
  });

  it('reads every whole number of a unit of time up to the limit, as it is told again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.constantFrom('s', 'm', 'h', 'd'), (value, unit) => {
        const expected = value * MILLISECONDS[unit];
        if (expected > 36_500 * MILLISECONDS.d) {
          expect(() => parseDuration(`${value}${unit}`)).toThrow('A duration must be a whole number and a unit');
          return;
        }
        expect(parseDuration(`${value}${unit}`)).toBe(expected);
        const parts = [...duration(expected).matchAll(/(\d+) (s|min|h|d)/g)];
        const told = parts.reduce((sum, [, number, of]) => sum + Number(number) * MILLISECONDS[of as 's'], 0);
        expect(told).toBeLessThanOrEqual(expected);
        expect(expected - told).toBeLessThan(MILLISECONDS[parts[0]?.[2] as 's']);
      }),
    );
    for (const text of ['', '30', 's', '0s', '-5m', '1.5h', '05m', ' 5m', '5 m', '5M', '5w', '1h30m', '٣d', `${'9'.repeat(400)}s`]) {
      expect(() => parseDuration(text)).toThrow('such as 30s, 15m, 24h or 90d');
    }
  });
});
