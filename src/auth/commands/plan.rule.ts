import { IsIn } from 'class-validator';
import { PLANS } from '../domain/plan.js';

/** One of the plans by its name. */
export function IsPlan(): PropertyDecorator {
  return IsIn(PLANS, { message: `$property must be one of ${PLANS.join(', ')}` });
}
