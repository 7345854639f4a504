import { validateSync } from 'class-validator';
import { ApplicationError } from '#libs/errors';
import { passesRules } from './compiled-rules.js';

/** What an object violates of the class-validator decorators of its class: one reason a field, naming it and what would be right. */
export function violationsOf(input: object): string[] {
  if (passesRules(input)) return [];
  const violations = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
  return violations.map((violation) => Object.values(violation.constraints ?? {})[0] ?? `${violation.property} is invalid`);
}

/**
 * Checks an object against the class-validator decorators of its class.
 * @throws ApplicationError `invalid_request` whose message names every field at fault and what would be right.
 */
export function assertValid(input: object): void {
  const reasons = violationsOf(input);
  if (reasons.length > 0) throw new ApplicationError('invalid_request', reasons.join('; '));
}
