import { ApplicationError } from '#libs/errors';
import { parseInt64 } from '#libs/validation';

const COUNT = /^(?:0|[1-9]\d{0,14})$/;

/** @throws ApplicationError `invalid_parameter` unless the text is a key's id in plain digits. */
export function parseKeyId(text: string): bigint {
  const id = parseInt64(text);
  if (id === undefined || id < 1n) throw invalidParameter(`ID must be an API key's number in plain digits, such as 7, not "${text}".`);
  return id;
}

/** A whole number in plain digits. @throws ApplicationError `invalid_parameter` that names the option. */
export function parseCount(option: string): (text: string) => number {
  return (text) => {
    if (!COUNT.test(text)) throw invalidParameter(`${option} must be a whole number in plain digits, such as 100, not "${text}".`);
    return Number(text);
  };
}

/** The parts of a list separated by commas. */
export function parseList(text: string): string[] {
  return text.split(',');
}

function invalidParameter(message: string): ApplicationError {
  return new ApplicationError('invalid_parameter', message);
}
