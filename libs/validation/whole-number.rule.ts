import { ValidateBy } from 'class-validator';

/**
 * The property is a whole number from `minimum` to `maximum`.
 * @param message what a client is told in place of just that
 */
export function IsWholeNumber(minimum: number, maximum: number, message?: string): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isWholeNumber',
      validator: {
        validate: (value: unknown) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
        defaultMessage: (argument) => message ?? `${argument?.property ?? 'value'} must be a whole number from ${minimum} to ${maximum}`,
      },
    },
    { context: { schema: { type: 'integer', format: 'int32', minimum, maximum } } },
  );
}
