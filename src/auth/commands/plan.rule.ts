import { applyDecorators } from '@nestjs/common';
import { IsIn, IsOptional } from 'class-validator';
import { IsWholeNumber } from '#libs/http';
import { PLANS } from '../domain/plan.js';

const LARGEST_LIMIT = 1_000_000_000;

/** The name of a plan. */
export function IsPlan(): PropertyDecorator {
  return IsIn(PLANS, { message: `$property must be one of ${PLANS.join(', ')}` });
}

/** A limit of an enterprise key: a whole number from 1 to 1,000,000,000, or undefined. */
export function IsPlanLimit(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsWholeNumber(1, LARGEST_LIMIT));
}
