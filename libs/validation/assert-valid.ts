import { validateSync } from 'class-validator';
import { ApplicationError } from '#libs/errors';
import { textErrors } from './text.rule.js';

/**
 * What an object violates of the class-validator decorators of its class, and of the rule for text, which holds for every property:
 * one reason a field, naming it and what would be right.
 * @param names the properties that are looked at; all of them when left out
 */
export function validationErrors(input: object, names?: ReadonlySet<string>): string[] {
  const all = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
  const violations = names ? all.filter(({ property }) => names.has(property)) : all;
  const reasons = violations.map((violation) => Object.values(violation.constraints ?? {})[0] ?? `${violation.property} is invalid`);
  for (const [name, value] of Object.entries(input)) {
    if (!violations.some(({ property }) => property === name)) reasons.push(...textErrors(name, value));
  }
  return reasons;
}

/**
 * Checks an object against the class-validator decorators of its class.
 * @param further what is wrong beside that, one reason a field
 * @throws ApplicationError `invalid_request` whose message names every field at fault and what would be right.
 */
export function assertValid(input: object, further: readonly string[] = []): void {
  const reasons = [...validationErrors(input), ...further];
  if (reasons.length > 0) throw new ApplicationError('invalid_request', reasons.join('; '));
}
