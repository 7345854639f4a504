import { IsIn, IsOptional, MaxLength, ValidateIf, validateSync } from 'class-validator';
import fc from 'fast-check';
import { passesRules } from './compiled-rules.js';
import { IsInt64 } from './int64.js';

class Base {
  @IsInt64()
  readonly id: unknown;

  constructor(values: Partial<Base>) {
    Object.assign(this, values);
  }
}

class Ruled extends Base {
  @MaxLength(2)
  @IsIn(['a', 'bb', 'ccc'])
  readonly word: unknown;

  @ValidateIf((input: Ruled, value) => input.word === 'a' && value !== undefined)
  @IsIn([1])
  readonly number: unknown;
}

class Elsewhere {
  @IsIn([1], { each: true })
  readonly list = [1];

  @IsOptional()
  @IsIn([1])
  readonly maybe: unknown = undefined;
}

describe('the rules of a class, compiled', () => {
  it('let through exactly what class-validator does, inherited ones and those under a condition too', () => {
    const values = fc.record({
      id: fc.constantFrom(1n, 2n ** 63n, 1, undefined),
      word: fc.constantFrom('a', 'bb', 'ccc', '', undefined),
      number: fc.constantFrom(1, 2, undefined),
    });
    fc.assert(
      fc.property(values, (given) => {
        const input = new Ruled(given);
        expect(passesRules(input)).toBe(validateSync(input, { forbidUnknownValues: false }).length === 0);
      }),
    );
  });

  it('leave to class-validator what is not as plain', () => {
    expect(passesRules(new Elsewhere())).toBe(false);
  });

  it('let everything through where there are none', () => {
    expect(passesRules({})).toBe(true);
  });
});
