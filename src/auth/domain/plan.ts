import { PlanLimitsError } from './api-key.errors.js';

/** How many requests a caller may send in one UTC minute and in one UTC day. */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The published plans (interface section 8). */
const PUBLISHED_LIMITS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
} as const satisfies Record<string, Limits>;

type PublishedPlan = keyof typeof PUBLISHED_LIMITS;

export type Plan = PublishedPlan | 'enterprise';

export const PLANS: readonly Plan[] = ['free', 'pro', 'business', 'enterprise'];

/** A plan with what has to be agreed for it: enterprise carries its own limits, the others carry none. */
export type PlanTerms = { readonly plan: PublishedPlan } | ({ readonly plan: 'enterprise' } & Limits);

/** A plan as somebody asks for it. */
export interface PlanChoice {
  readonly plan: Plan;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
}

/** @throws PlanLimitsError when enterprise lacks one of its limits, or another plan is given one. */
export function planTerms({ plan, perMinute, perDay }: PlanChoice): PlanTerms {
  if (plan === 'enterprise') {
    if (perMinute === undefined || perDay === undefined) throw PlanLimitsError.missing();
    return { plan, perMinute, perDay };
  }
  if (perMinute !== undefined || perDay !== undefined) throw PlanLimitsError.notAllowed(plan);
  return { plan };
}

/** The limits in force under these terms. */
export function limitsOf(terms: PlanTerms): Limits {
  return terms.plan === 'enterprise' ? { perMinute: terms.perMinute, perDay: terms.perDay } : PUBLISHED_LIMITS[terms.plan];
}
