import { ApplicationError } from '#libs/observability';

/** The category of the streams of API keys. */
export const API_KEY_CATEGORY = 'api-key';

const PREFIX = `${API_KEY_CATEGORY}-`;

/** The stream of an API key, which is also its name as an actor: `api-key-7` for 7. */
export function apiKeyStream(id: bigint): string {
  return `${PREFIX}${id}`;
}

/** The id of the API key that a stream belongs to: 7 for `api-key-7`. */
export function parseApiKeyStream(stream: string): bigint {
  return BigInt(stream.slice(PREFIX.length));
}

/** The last ban of a key that the log has. */
export interface RecordedBan {
  /** Milliseconds since 1970; 0 without a ban since the last unban. */
  readonly until: number;
  /** Its place on the ladder of ever longer bans, from 1; 0 without a ban. */
  readonly step: number;
  /** Grows each time a ban of this key is lifted: a ban with a smaller number is over. Follows the clock, so it grows even if the log was restored from a backup. */
  readonly unbans: number;
}

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

/** A plan with its terms: enterprise has limits of its own, the others have none. */
export type PlanTerms = { readonly plan: PublishedPlan } | ({ readonly plan: 'enterprise' } & Limits);

/** A plan as it is asked for, not checked yet. */
export interface PlanChoice {
  readonly plan: Plan;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
}

/** @throws ApplicationError `invalid_request` if enterprise lacks one of its limits, or another plan is given one. */
export function planTerms({ plan, perMinute, perDay }: PlanChoice): PlanTerms {
  if (plan !== 'enterprise') {
    if (perMinute === undefined && perDay === undefined) return { plan };
    throw new ApplicationError('invalid_request', `perMinute and perDay are for the plan enterprise only; leave them out for ${plan}.`);
  }
  if (perMinute !== undefined && perDay !== undefined) return { plan, perMinute, perDay };
  throw new ApplicationError('invalid_request', 'perMinute and perDay are both required for the plan enterprise.');
}

/** Returns the limits in force under these terms. */
export function getLimits(terms: PlanTerms): Limits {
  return terms.plan === 'enterprise' ? { perMinute: terms.perMinute, perDay: terms.perDay } : PUBLISHED_LIMITS[terms.plan];
}
