import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '#libs/validation';
import { numberOf, wholeNumber } from './whole-number.js';

const notPlain = ['', 'x', '+1', '01', '-0', '1.0', '1e3', ' 1', '1 ', '٣', `${INT64_MAX + 1n}`, `${INT64_MIN - 1n}`];

describe('numberOf', () => {
  const largest = 999_999_999_999_999;

  it('reads every whole number of at most 15 plain digits', () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger().map((value) => value % (largest + 1)),
        (value) => expect(numberOf(value.toString())).toBe(value),
      ),
    );
  });

  it.each([...notPlain, `${largest + 1}`, `-${largest + 1}`])('leaves %j as it is', (text) => {
    expect(numberOf(text)).toBe(text);
  });
});

describe('wholeNumber', () => {
  const read = wholeNumber('--count must be a whole number from 1', 1n);

  it('reads every int64 from the minimum in plain digits', () => {
    fc.assert(fc.property(fc.bigInt({ min: 1n, max: INT64_MAX }), (value) => expect(read(value.toString())).toBe(value)));
  });

  it.each([...notPlain, '0', '-1'])('refuses %j as an invalid parameter and says what would be right', (text) => {
    const refusal = { code: 'invalid_parameter', message: `--count must be a whole number from 1, not "${text}".` };
    expect(() => read(text)).toThrow(expect.objectContaining(refusal));
  });
});
