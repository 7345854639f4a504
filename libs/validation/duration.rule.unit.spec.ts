import { durationOf, IsDuration, Removable, schemaOf, validationErrors } from './index.js';

class Break {
  @Removable()
  @IsDuration('90m')
  readonly length: unknown;

  constructor(length?: unknown) {
    this.length = length;
  }
}

describe('the rule for a duration', () => {
  it.each(['0s', '0d', '1s', '90m', '1h', '5400s'])('takes %s', (length) => {
    expect(validationErrors(new Break(length))).toEqual([]);
  });

  it.each(['91m', '5401s', '1d', '', '1', 's', '-1s', '1.5h', '01h', '00s', ' 1s', '1S', 90, true, ['1s'], {}])(
    'refuses %p in one sentence',
    (length) => {
      expect(validationErrors(new Break(length))).toEqual([
        'length must be a whole number and a unit, such as 0s, 90m or 24h, at most 90m',
      ]);
    },
  );

  it('counts neither for undefined nor for null where the member can be removed, as the schema says', () => {
    for (const length of [undefined, null]) expect(validationErrors(new Break(length))).toEqual([]);
    const { properties, required } = schemaOf(Break);
    expect(required).toEqual([]);
    expect(properties['length']).toMatchObject({ type: ['string', 'null'] });
    const pattern = new RegExp(String(properties['length']?.['pattern']));
    expect(['0s', '10d', 's', '1'].map((text) => pattern.test(text))).toEqual([true, true, false, false]);
  });

  it('reads milliseconds', () => {
    expect(['0h', '2s', '3m', '36500d', '36501d', 'x'].map(durationOf)).toEqual([
      0,
      2_000,
      180_000,
      3_153_600_000_000,
      undefined,
      undefined,
    ]);
  });
});
