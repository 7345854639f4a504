import 'reflect-metadata';
import { IsBoolean, IsIn, IsInt, IsUppercase, Matches, Max, MaxLength, Min } from 'class-validator';
import { ApiDescription, getInputSchema, IfGiven, IsInt64, IsText } from './rules.js';

class Animal {
  @IsText(5)
  @ApiDescription('What it is called.')
  readonly name!: string;

  @IfGiven()
  @IsInt64()
  readonly category?: bigint;
}

class Dog extends Animal {
  @IsIn(['small', 'large'])
  readonly size!: string;

  @IsInt()
  @Min(1)
  @Max(30)
  readonly age!: number;

  @IfGiven()
  @IsBoolean()
  readonly isTrained?: boolean;

  @Matches(/^[A-Z]+$/)
  @MaxLength(8)
  readonly chip!: string;
}

describe('the schema of a class', () => {
  it('says what its rules say, those of its base class first', () => {
    const { properties, required } = getInputSchema(Dog);
    expect(Object.keys(properties)).toEqual(['name', 'category', 'size', 'age', 'isTrained', 'chip']);
    expect(required).toEqual(['name', 'size', 'age', 'chip']);
    expect(properties).toMatchObject({
      name: { type: 'string', minLength: 1, maxLength: 5, description: 'What it is called.' },
      category: { type: 'integer', format: 'int64' },
      size: { type: 'string', enum: ['small', 'large'] },
      age: { type: 'integer', minimum: 1, maximum: 30 },
      isTrained: { type: 'boolean' },
      chip: { pattern: '^[A-Z]+$', maxLength: 8 },
    });
  });

  it('fails if a rule has none, and names class, property and rule', () => {
    class Shout {
      @IsUppercase()
      readonly word!: string;
    }
    expect(() => getInputSchema(Shout)).toThrow('The rule isUppercase of Shout.word has no JSON schema');
  });

  it('is that of a rule with a schema of its own', () => {
    class Whisper {
      @IsUppercase({ context: { schema: { type: 'string', format: 'quiet' } } })
      readonly word!: string;
    }
    expect(getInputSchema(Whisper).properties).toEqual({ word: { type: 'string', format: 'quiet' } });
  });
});
