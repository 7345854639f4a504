import { ValidateBy } from 'class-validator';

// The property White_Space, spelled out for the readers of the pattern whose engine does not know it.
const WHITE_SPACE = String.raw`\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const UNKEPT = String.raw`\u0000\ud800-\udfff`;
// What engines that match UTF-16 code units see in place of a character outside the Basic Multilingual Plane.
const PAIR = String.raw`[\ud800-\udbff][\udc00-\udfff]`;

/**
 * What text is but for its length: not all White_Space, without U+0000 and lone surrogates, which the databases cannot keep. A
 * regular expression of ECMA-262, with or without the flag `u`.
 */
export const TEXT_PATTERN = `^[${WHITE_SPACE}]*(?:[^${WHITE_SPACE}${UNKEPT}]|${PAIR})(?:[^${UNKEPT}]|${PAIR})*$`;

const TEXT = new RegExp(TEXT_PATTERN, 'u');

/** The property is a string of 1 to `maximum` Unicode characters (code points) that fits `TEXT_PATTERN`. */
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
  return [...value].length <= maximum && TEXT.test(value);
}
