import fc from 'fast-check';
import {
  assertStorable,
  assertValid,
  getInputSchema,
  IfGiven,
  IsDuration,
  IsNullable,
  IsText,
  IsWholeNumber,
  parseDurationText,
  TEXT_PATTERN,
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

const named = (name: unknown, unruled?: unknown) => Object.assign(new Named(), { name, unruled });

describe('the rule for text from outside', () => {
  it('takes any other text, wherever it stands', () => {
    fc.assert(fc.property(wellFormed, (text) => expect(textErrors('x', [text, { text, of: { text } }])).toEqual([])));
  });

  it('refuses U+0000 and lone surrogates, wherever they stand', () => {
    fc.assert(
      fc.property(unstorable, (text) => {
        const faults = textErrors('x', [{ a: [text] }, 'y', text]).map(({ message }) => message);
        expect(faults).toHaveLength(2);
        expect(faults[0]).toMatch(/^x\[0\]\.a\[0\] must be without U\+0000 and lone surrogates, but holds U\+(?:0000|D[89A-F]..)$/);
        expect(faults[1]).toMatch(/^x\[2\] must be/);
      }),
    );
  });

  it('does not change a value that is no text', () => {
    expect(textErrors('x', [1, 1n, null, undefined, true, new Date(0), Buffer.from('\u0000'), () => '\u0000'])).toEqual([]);
  });

  it('names every text at fault with the code of the place where it entered', () => {
    expect(() => assertStorable({ a: '\u0000', b: 'b', c: ['\ud800'] })).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        message: expect.stringMatching(/^a must be .* U\+0000; c\[0\] must be .* U\+D800\.$/),
      }),
    );
  });

  it('holds for every property of what is checked, beside its own rules', () => {
    expect(() => assertValid(named('\u0000', ['\u0000']))).toThrow(/^name must be without .*; unruled\[0\] must be without/);
    expect(() => assertValid(named('', '\u0000'))).toThrow(/^name must be a string .*; unruled must be without/);
    expect(() => assertValid(named('a\u0000bc'))).toThrow(/^name must be a string of 1 to 3 Unicode characters, not blank\.$/);
  });
});

describe('the pattern of texts in the document', () => {
  it.each(['u', ''])('says of every character what the rule says, read with the flags %j', (flags) => {
    const pattern = new RegExp(TEXT_PATTERN, flags);
    for (let codePoint = 0; codePoint <= 0x10_ff_ff; codePoint++) {
      const text = String.fromCodePoint(codePoint);
      const isKept = codePoint !== 0 && !/\p{Surrogate}/u.test(text);
      if (pattern.test(text) !== (isKept && !/\p{White_Space}/u.test(text)) || pattern.test(`a${text}`) !== isKept) {
        throw new Error(`The pattern misjudges U+${codePoint.toString(16)}.`);
      }
    }
  });
});

class Break {
  @IsNullable()
  @IsDuration('90m')
  readonly length: unknown;
}

const breakErrors = (length: unknown) => validationErrors(Object.assign(new Break(), { length })).map(({ message }) => message);

describe('the rule for a duration', () => {
  it.each(['91m', '5401s', '1d', '', '1', 's', '-1s', '1.5h', '01h', '00s', ' 1s', '1S', 90, true, ['1s'], {}])(
    'refuses %p in one sentence',
    (length) => {
      expect(breakErrors(length)).toEqual(['length must be a whole number and a unit, such as 0s, 90m or 24h, at most 90m']);
    },
  );

  it('counts neither for undefined nor for null where the member can be removed, as the schema says', () => {
    for (const length of [undefined, null]) expect(breakErrors(length)).toEqual([]);
    const { properties, required } = getInputSchema(Break);
    expect(required).toEqual([]);
    expect(properties['length']).toMatchObject({ type: ['string', 'null'] });
    const pattern = new RegExp(String(properties['length']?.['pattern']));
    expect(['0s', '10d', 's', '1'].map((text) => pattern.test(text))).toEqual([true, true, false, false]);
  });

  it('reads milliseconds, up to its bound', () => {
    for (const length of ['0s', '90m', '1h', '5400s']) expect(breakErrors(length)).toEqual([]);
    expect(['0h', '2s', '3m', '36500d', '36501d', 'x'].map(parseDurationText)).toEqual([
      0,
      2_000,
      180_000,
      3_153_600_000_000,
      undefined,
      undefined,
    ]);
  });
});

class Kennel {
  @IsWholeNumber(1, 30)
  readonly places: unknown;

  @IfGiven()
  @IsWholeNumber(-5, 5, 'floor must be one that the house has')
  readonly floor: unknown;
}

const kennelErrors = (values: object) => validationErrors(Object.assign(new Kennel(), values)).map(({ message }) => message);

describe('the rule for a whole number', () => {
  it.each([0, 31, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', 1n, null, [1]])('refuses %p in one sentence', (places) => {
    expect(kennelErrors({ places })).toEqual(['places must be a whole number from 1 to 30']);
  });

  it('says of a value that is not there that it is missing', () => {
    expect(validationErrors(new Kennel())).toEqual([
      { field: 'places', rule: 'required', message: 'places is missing: it must be a whole number from 1 to 30' },
    ]);
  });

  it('takes its bounds, and has the message that it was given', () => {
    for (const places of [1, 30]) expect(kennelErrors({ places })).toEqual([]);
    expect(kennelErrors({ places: 1, floor: -6 })).toEqual(['floor must be one that the house has']);
  });

  it('says the bounds in the schema', () => {
    expect(getInputSchema(Kennel)).toEqual({
      properties: {
        places: { type: 'integer', format: 'int32', minimum: 1, maximum: 30 },
        floor: { type: 'integer', format: 'int32', minimum: -5, maximum: 5 },
      },
      required: ['places'],
    });
  });
});
