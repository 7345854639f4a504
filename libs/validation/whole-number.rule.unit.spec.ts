import { IfGiven, IsWholeNumber, schemaOf, validationErrors } from './index.js';

class Kennel {
  @IsWholeNumber(1, 30)
  readonly places: unknown;

  @IfGiven()
  @IsWholeNumber(-5, 5, 'floor must be one that the house has')
  readonly floor: unknown;

  constructor(places: unknown, floor?: unknown) {
    this.places = places;
    this.floor = floor;
  }
}

describe('the rule for a whole number', () => {
  it.each([1, 30])('takes %d', (places) => {
    expect(validationErrors(new Kennel(places))).toEqual([]);
  });

  it.each([0, 31, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', 1n, null, undefined, [1]])('refuses %p in one sentence', (places) => {
    expect(validationErrors(new Kennel(places))).toEqual(['places must be a whole number from 1 to 30']);
  });

  it('says what it was given to say', () => {
    expect(validationErrors(new Kennel(1, -6))).toEqual(['floor must be one that the house has']);
  });

  it('says the bounds in the schema', () => {
    expect(schemaOf(Kennel)).toEqual({
      properties: {
        places: { type: 'integer', format: 'int32', minimum: 1, maximum: 30 },
        floor: { type: 'integer', format: 'int32', minimum: -5, maximum: 5 },
      },
      required: ['places'],
    });
  });
});
