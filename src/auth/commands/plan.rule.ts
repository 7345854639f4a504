import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { PLANS } from '../domain/plan.js';

const LARGEST_LIMIT = 1_000_000_000;

/** One of the plans by its name. */
export function IsPlan(): PropertyDecorator {
  return IsIn(PLANS, { message: `$property must be one of ${PLANS.join(', ')}` });
}

/** An agreed limit of an enterprise key: a whole number from 1 to 1,000,000,000, or left out. */
export function IsPlanLimit(): PropertyDecorator {
  const message = `$property must be a whole number from 1 to ${LARGEST_LIMIT}`;
  const rules = [IsOptional(), IsInt({ message }), Min(1, { message }), Max(LARGEST_LIMIT, { message })];
  return (target, property) => {
    for (const rule of rules) rule(target, property);
  };
}
