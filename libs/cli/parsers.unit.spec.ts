import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '#libs/http';
import { count, int64, parseDuration, time, trueOrFalse, wholeNumber } from './parsers.js';

const NOT_PLAIN = ['', 'x', '+1', '01', '-0', '1.0', '1e3', ' 1', '1 ', '٣', `${INT64_MAX + 1n}`, `${INT64_MIN - 1n}`, '-1'];

describe('a parser of whole numbers', () => {
  const parse = wholeNumber('--page must be a whole number from 1', 1n);

  it('reads every int64 from the minimum in plain digits', () => {
    fc.assert(fc.property(fc.bigInt({ min: 1n, max: INT64_MAX }), (value) => expect(parse(value.toString())).toBe(value)));
    expect(count('--count')('0')).toBe(0);
  });

  it.each([...NOT_PLAIN, '0'])('refuses %j as an invalid parameter and says what would be right', (text) => {
    const refusal = { code: 'invalid_parameter', message: `--page must be a whole number from 1, not "${text}".` };
    expect(() => parse(text)).toThrow(expect.objectContaining(refusal));
  });

  it.each([...NOT_PLAIN, '9007199254740992'])('refuses %j as a count', (text) => {
    expect(() => count('--count')(text)).toThrow(`--count must be a whole number in plain digits, such as 100, not "${text}".`);
  });
});

describe('a parser of an option', () => {
  it.each([
    [int64('--fee')('-9223372036854775808'), INT64_MIN],
    [time('--at')('2026-06-01T14:00:00+02:00'), new Date('2026-06-01T12:00:00Z')],
    [trueOrFalse('--urgent')('true'), true],
    [trueOrFalse('--urgent')('false'), false],
  ])('reads %p', (value, expected) => {
    expect(value).toEqual(expected);
  });

  it.each([
    [() => int64('--fee')('1.5'), '--fee must be a whole number in plain digits, such as 7, not "1.5".'],
    [() => time('--at')('tomorrow'), '--at must be a time such as 2026-06-01T12:00:00Z, not "tomorrow".'],
    [() => trueOrFalse('--urgent')('yes'), '--urgent must be true or false, not "yes".'],
  ])('names the option where it refuses', (parse, message) => {
    expect(parse).toThrow(expect.objectContaining({ code: 'invalid_parameter', message }));
  });
});

describe('parseDuration', () => {
  it.each(['', '30', 's', '0s', '-5m', '1.5h', '05m', ' 5m', '5 m', '5M', '5w', '1h30m', '٣d', `${'9'.repeat(400)}s`])(
    'refuses %j as an invalid parameter and says what would be right',
    (text) => {
      expect(() => parseDuration(text)).toThrow(
        expect.objectContaining({ code: 'invalid_parameter', message: expect.stringContaining('such as 30s, 15m, 24h or 90d') }),
      );
    },
  );

  it('gives every whole number of a unit as milliseconds and refuses everything past the limit', () => {
    const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.constantFrom<keyof typeof seconds>('s', 'm', 'h', 'd'), (value, unit) => {
        const expected = value * seconds[unit] * 1_000;
        if (expected <= 36_500 * 86_400_000) expect(parseDuration(`${value}${unit}`)).toBe(expected);
        else expect(() => parseDuration(`${value}${unit}`)).toThrow('is not a duration');
      }),
    );
  });
});
