import { ApplicationError } from '#libs/observability';
import { parseDurationText, parseInt64 } from '#libs/http';

/** A mistake in how a command is used, such as arguments that do not go together; ends the program with exit code 2. */
export class UsageError extends ApplicationError {
  constructor(message: string) {
    super('invalid_parameter', message);
  }
}

/**
 * Makes a parser of whole numbers in plain digits.
 * @param right what the number must be, such as `--limit must be a whole number`; begins the message
 * @returns a function that throws ApplicationError `invalid_parameter` for any other text, or less than the minimum
 */
export function wholeNumber(right: string, minimum: bigint): (text: string) => bigint {
  return (text) => {
    const value = parseInt64(text);
    if (value !== undefined && value >= minimum) return value;
    throw new ApplicationError('invalid_parameter', `${right}, not "${text}".`);
  };
}

/** Makes a parser of whole numbers from 0 that a `number` holds exactly; the message names the option. */
export function count(option: string): (text: string) => number {
  const right = `${option} must be a whole number in plain digits, such as 100`;
  return (text) => {
    const value = Number(wholeNumber(right, 0n)(text));
    if (Number.isSafeInteger(value)) return value;
    throw new ApplicationError('invalid_parameter', `${right}, not "${text}".`);
  };
}

/**
 * Reads a duration such as `30s`, `15m`, `24h` or `90d`: a whole number from 1 and one unit, at most 36500 days.
 * @returns milliseconds
 * @throws ApplicationError `invalid_parameter`
 */
export function parseDuration(text: string): number {
  const milliseconds = parseDurationText(text);
  if (milliseconds) return milliseconds;
  throw new ApplicationError(
    'invalid_parameter',
    `"${text}" is not a duration: write a whole number and a unit, such as 30s, 15m, 24h or 90d (at most 36500d)`,
  );
}

/** Splits a list at its commas. @throws UsageError if a part is none of the choices */
export function parseList(option: string, text: string, choices: readonly string[]): string[] {
  const parts = text.split(',');
  if (parts.every((part) => choices.includes(part))) return parts;
  throw new UsageError(`Each of ${option} must be one of ${choices.join(', ')}.`);
}
