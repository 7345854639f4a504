import { ApplicationError } from '#libs/errors';

const PLAIN_DIGITS = /^(?:0|[1-9]\d{0,14})$/;

/**
 * Reads a parameter written in plain decimal digits, without sign, fraction, exponent or leading zero.
 * @throws ApplicationError `invalid_parameter` naming the parameter and its range, both ends included.
 */
export function readInteger(name: string, text: string, range: { readonly minimum: number; readonly maximum: number }): number {
  const value = PLAIN_DIGITS.test(text) ? Number(text) : Number.NaN;
  if (value >= range.minimum && value <= range.maximum) return value;
  throw new ApplicationError('invalid_parameter', `${name} must be an integer from ${range.minimum} to ${range.maximum}, in plain digits.`);
}

/**
 * Reads a parameter that takes one of a few words, exactly as written.
 * @throws ApplicationError `invalid_parameter` naming the parameter and the words.
 */
export function readEnum<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === text);
  if (word !== undefined) return word;
  throw new ApplicationError('invalid_parameter', `${name} must be one of ${words.join(', ')}.`);
}
