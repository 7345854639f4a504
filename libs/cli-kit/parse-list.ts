import { UsageError } from './usage-error.js';

/** The parts of a list separated by commas. @throws UsageError where one is none of the choices */
export function parseList(option: string, text: string, choices: readonly string[]): string[] {
  const parts = text.split(',');
  if (parts.every((part) => choices.includes(part))) return parts;
  throw new UsageError(`Each of ${option} must be one of ${choices.join(', ')}.`);
}
