import { ValidateBy } from 'class-validator';

const ONLY_WHITE_SPACE = /^\p{White_Space}*$/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The property is a string of 1 to `maximum` Unicode characters (code points), not all White_Space,
 * without U+0000 and lone surrogates, which the databases cannot keep.
 */
export function IsText(maximum: number): PropertyDecorator {
  return ValidateBy({
    name: 'isText',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isText(value, maximum),
      defaultMessage: (argument) =>
        `${argument?.property ?? 'value'} must be a string of 1 to ${maximum} Unicode characters, not blank, without U+0000 and lone surrogates`,
    },
  });
}

function isText(value: string, maximum: number): boolean {
  return !ONLY_WHITE_SPACE.test(value) && !LONE_SURROGATE.test(value) && !value.includes('\u0000') && [...value].length <= maximum;
}
