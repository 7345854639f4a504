import { ApplicationError } from '#libs/observability';
import { INT64_MIN, parseDurationText, parseInt64, parseTime } from '#libs/http';

/** A mistake in the use of a command, such as conflicting arguments. Ends the program with exit code 2. */
export class UsageError extends ApplicationError {
  constructor(message: string) {
    super('invalid_parameter', message);
  }
}

/** Makes a parser that throws ApplicationError `invalid_parameter` for a text that `parse` returns undefined for. */
function parser<Value>(expected: string, parse: (text: string) => Value | undefined): (text: string) => Value {
  return (text) => {
    const value = parse(text);
    if (value !== undefined) return value;
    throw new ApplicationError('invalid_parameter', `${expected}, not "${text}".`);
  };
}

/**
 * Makes a parser of whole numbers in plain digits.
 * @param expected what the number must be, such as `--limit must be a whole number`; begins the message
 * @returns a function that throws ApplicationError `invalid_parameter` for any other text, or less than the minimum
 */
export function wholeNumber(expected: string, minimum: bigint): (text: string) => bigint {
  return parser(expected, (text) => {
    const value = parseInt64(text);
    return value !== undefined && value >= minimum ? value : undefined;
  });
}

/** Makes a parser of whole numbers in a range; the message names the option. */
export function countWithin(option: string, minimum: number, maximum: number): (text: string) => number {
  return parser(`${option} must be a whole number from ${minimum} to ${maximum}`, (text) => {
    const value = parseInt64(text);
    return value !== undefined && value >= minimum && value <= maximum ? Number(value) : undefined;
  });
}

/** Makes a parser of int64 in plain digits; the message names the option. */
export function int64(option: string): (text: string) => bigint {
  return wholeNumber(`${option} must be a whole number in plain digits, such as 7`, INT64_MIN);
}

/** Makes a parser of times as RFC 3339 writes them; the message names the option. */
export function time(option: string): (text: string) => Date {
  return parser(`${option} must be a time such as 2026-06-01T12:00:00Z`, parseTime);
}

/** Makes a parser of `true` and `false`; the message names the option. */
export function trueOrFalse(option: string): (text: string) => boolean {
  return parser(`${option} must be true or false`, (text) => (['true', 'false'].includes(text) ? text === 'true' : undefined));
}

/**
 * Reads a duration such as `30s`, `15m`, `24h` or `90d`: a whole number from 1 and one unit, at most 36500 days.
 * @returns milliseconds
 * @throws ApplicationError `invalid_parameter`
 */
export const parseDuration = parser(
  'A duration must be a whole number and a unit, such as 30s, 15m, 24h or 90d (at most 36500d)',
  (text) => parseDurationText(text) || undefined,
);

/** Splits a list at its commas. @throws UsageError if a part is not one of the choices */
export function parseList(option: string, text: string, choices: readonly string[]): string[] {
  const parts = text.split(',');
  if (parts.every((part) => choices.includes(part))) return parts;
  throw new UsageError(`Each of ${option} must be one of ${choices.join(', ')}.`);
}
