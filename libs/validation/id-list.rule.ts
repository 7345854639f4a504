import { ValidateBy } from 'class-validator';
import { INT64_MAX } from './int64.js';

/** The property is a list of 1 to `most` ids, each a bigint from 1 to the greatest int64. In a query they are separated by commas. */
export function IsIdList(most: number): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isIdList',
      validator: {
        validate: (value: unknown) => Array.isArray(value) && value.length >= 1 && value.length <= most && value.every(isId),
        defaultMessage: (argument) =>
          `${argument?.property ?? 'value'} must be 1 to ${most} integers from 1 to ${INT64_MAX}, in plain digits, separated by commas`,
      },
    },
    { context: { schema: { type: 'array', minItems: 1, maxItems: most, items: { type: 'integer', format: 'int64', minimum: 1 } } } },
  );
}

function isId(value: unknown): boolean {
  return typeof value === 'bigint' && value >= 1n && value <= INT64_MAX;
}
