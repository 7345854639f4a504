import { ValidateBy } from 'class-validator';
import { ApplicationError, type ErrorCode } from '#libs/errors';

// The property White_Space, spelled out for the readers of the pattern below whose engine does not know it.
const WHITE_SPACE = String.raw`\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
// PostgreSQL keeps no U+0000, and a lone surrogate cannot be written in UTF-8.
const UNSTORABLE = String.raw`\u0000\ud800-\udfff`;
// What engines that match UTF-16 code units see in place of a character outside the Basic Multilingual Plane.
const PAIR = String.raw`[\ud800-\udbff][\udc00-\udfff]`;

/**
 * What a text fits that `IsText` and the rule below take, but for its length. A regular expression of ECMA-262, with or without the
 * flag `u`, for descriptions.
 */
export const TEXT_PATTERN = `^[${WHITE_SPACE}]*(?:[^${WHITE_SPACE}${UNSTORABLE}]|${PAIR})(?:[^${UNSTORABLE}]|${PAIR})*$`;

const onlyWhiteSpace = new RegExp(`^[${WHITE_SPACE}]*$`, 'u');
const unstorable = new RegExp(`[${UNSTORABLE}]`, 'u');

/**
 * The rule for every text from outside, wherever it enters: it is without U+0000 and lone surrogates.
 * @param name what a client calls the value; what is within a list or an object is named after its place there
 * @returns what is wrong with each text that breaks the rule, naming it.
 */
export function textErrors(name: string, value: unknown): string[] {
  if (typeof value === 'string') return faultsOf(name, value);
  if (Array.isArray(value)) return value.flatMap((item, index) => textErrors(`${name}[${index}]`, item));
  return isPlainObject(value) ? Object.entries(value).flatMap(([member, part]) => textErrors(`${name}.${member}`, part)) : [];
}

/**
 * Checks named values against the rule of `textErrors`.
 * @throws ApplicationError with this code and a message that names every text at fault.
 */
export function assertStorable(values: object, code: ErrorCode): void {
  const faults = Object.entries(values).flatMap(([name, value]) => textErrors(name, value));
  if (faults.length > 0) throw new ApplicationError(code, `${faults.join('; ')}.`);
}

/** The property is a string of 1 to `maximum` Unicode characters (code points), not all White_Space. */
export function IsText(maximum: number): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isText',
      validator: {
        validate: (value: unknown) => isText(value, maximum),
        defaultMessage: (argument) => `${argument?.property ?? 'value'} must be a string of 1 to ${maximum} Unicode characters, not blank`,
      },
    },
    { context: { schema: { type: 'string', minLength: 1, maxLength: maximum, pattern: TEXT_PATTERN } } },
  );
}

/** Whether `IsText` lets the value through. */
export function isText(value: unknown, maximum: number): value is string {
  return typeof value === 'string' && !onlyWhiteSpace.test(value) && [...value].length <= maximum;
}

function faultsOf(name: string, text: string): string[] {
  const code = unstorable.exec(text)?.[0].charCodeAt(0);
  if (code === undefined) return [];
  return [`${name} must be without U+0000 and lone surrogates, but holds U+${code.toString(16).toUpperCase().padStart(4, '0')}`];
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
