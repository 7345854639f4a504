import fc from 'fast-check';
import { IsIn } from 'class-validator';
import { stringifyJson } from '../json/json.js';
import {
  assertStorable,
  assertValid,
  IfGiven,
  IsDuration,
  IsNullable,
  IsText,
  IsWholeNumber,
  parseDurationText,
  Secret,
  textErrors,
  validationErrors,
} from './rules.js';

const wellFormed = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\u0000'));
const unstorable = fc
  .tuple(wellFormed, fc.constantFrom('\u0000', '\ud800', '\udbff', '\udc00', '\udfff'), fc.constantFrom('', 'b', '🐈'))
  .map((parts) => parts.join(''));

class Named {
  @IsText(3)
  readonly name: unknown;
  readonly unruled: unknown;
}

class Kennel extends Named {
  @IsWholeNumber(1, 30)
  readonly places: unknown;

  @IfGiven()
  @IsWholeNumber(-5, 5, 'must be one that the house has')
  readonly floor: unknown;

  @IsNullable()
  @IsDuration('90m')
  readonly break: unknown;

  @IfGiven()
  @IsIn(['small', 'large'])
  readonly size?: unknown;

  @IfGiven()
  @Secret()
  @IsText(3)
  readonly pin?: unknown;
}

const VALID = { name: 'Rex', places: 1 };
const errorsOf = (values: object) => validationErrors(Object.assign(new Kennel(), VALID, values)).map(({ message }) => message);

describe('the rules of input', () => {
  it('take any storable text, wherever it stands, and what is no text', () => {
    fc.assert(fc.property(wellFormed, (text) => expect(textErrors('x', [text, { text, of: { text } }])).toEqual([])));
    expect(textErrors('x', [1, 1n, null, undefined, true, new Date(0), Buffer.from('\u0000'), () => '\u0000'])).toEqual([]);
  });

  it('refuse U+0000 and lone surrogates, wherever they stand', () => {
    fc.assert(
      fc.property(unstorable, (text) => {
        const [first, second, ...others] = textErrors('x', [{ a: [text] }, 'y', text]).map(({ message }) => message);
        expect(first).toMatch(/^x\[0\]\.a\[0\] must be without U\+0000 and lone surrogates$/);
        expect(second).toMatch(/^x\[2\] must be/);
        expect(others).toEqual([]);
      }),
    );
    expect(() => assertStorable({ a: '\u0000', b: 'b', c: ['\ud800'] })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^a must be without .*; c\[0\] must be without .*\.$/) }),
    );
    const named = (name: unknown, unruled?: unknown) => () => assertValid(Object.assign(new Named(), { name, unruled }));
    expect(named('\u0000', ['\u0000'])).toThrow(/^name must be without .*; unruled\[0\] must be without/);
    expect(named('', '\u0000')).toThrow(/^name must be a string .*; unruled must be without/);
    expect(named('a\u0000bc')).toThrow(/^name must be a string of 1 to 3 Unicode characters, not blank \(given: "a\\u0000bc"\)\.$/);
  });

  it('take a duration up to its bound, and none', () => {
    for (const wrong of ['91m', '5401s', '1d', '', '1', 's', '-1s', '1.5h', '01h', ' 1s', '1S', 90, true, ['1s'], {}]) {
      expect(errorsOf({ break: wrong })).toEqual([
        `break must be a whole number and a unit, such as 0s, 90m or 24h, at most 90m (given: ${stringifyJson(wrong)})`,
      ]);
    }
    for (const length of ['0s', '90m', '1h', '5400s', undefined, null]) expect(errorsOf({ break: length })).toEqual([]);
    const read = ['0h', '2s', '3m', '36500d', '36501d', 'x'].map(parseDurationText);
    expect(read).toEqual([0, 2_000, 180_000, 3_153_600_000_000, undefined, undefined]);
  });

  it('take whole numbers within their bounds, name what is missing, and have the message that they were given', () => {
    for (const places of [1, 30]) expect(errorsOf({ places })).toEqual([]);
    for (const places of [0, 31, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', 1n, null, [1]]) {
      expect(errorsOf({ places })).toEqual([`places must be a whole number from 1 to 30 (given: ${stringifyJson(places)})`]);
    }
    expect(errorsOf({ floor: -6, places: undefined })).toEqual([
      'places is missing: it must be a whole number from 1 to 30',
      'floor must be one that the house has (given: -6)',
    ]);
  });

  it('quote the value that they refuse, cut after 40 characters, and no secret', () => {
    const quoted = (values: object) => errorsOf(values).map((message) => / \(given: .*/.exec(message)?.[0]);
    expect(quoted({ size: `🐈${'x'.repeat(40)}` })).toEqual([` (given: "🐈${'x'.repeat(38)}…)`]);
    expect(quoted({ size: ['a', { b: 1n }] })).toEqual([' (given: ["a",{"b":1}])']);
    expect(quoted({ pin: 'hunter2' })).toEqual([undefined]);
  });
});
