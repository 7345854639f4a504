import fc from 'fast-check';
import { ApplicationError } from '#libs/errors';
import { parseDuration } from './duration.js';

describe('parseDuration', () => {
  it.each([
    ['30s', 30_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['90d', 7_776_000_000],
    ['36500d', 3_153_600_000_000],
  ])('reads %s as %d milliseconds', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each([
    '',
    '30',
    's',
    '0s',
    '-5m',
    '+5m',
    '1.5h',
    '1e3s',
    '05m',
    ' 5m',
    '5m ',
    '5 m',
    '5M',
    '5w',
    '1h30m',
    '36501d',
    '٣d',
    `${'9'.repeat(400)}s`,
  ])('refuses %j as an invalid parameter and says what would be right', (text) => {
    expect(() => parseDuration(text)).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', message: expect.stringContaining('such as 30s, 15m, 24h or 90d') }),
    );
  });

  it('gives every whole number of a unit exactly and refuses everything past the limit', () => {
    const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.constantFrom<keyof typeof seconds>('s', 'm', 'h', 'd'), (count, unit) => {
        const expected = count * seconds[unit] * 1_000;
        if (expected <= 36_500 * 86_400_000) expect(parseDuration(`${count}${unit}`)).toBe(expected);
        else expect(() => parseDuration(`${count}${unit}`)).toThrow(ApplicationError);
      }),
    );
  });
});
