import { invalidMember, type FieldError } from '#libs/observability';

/** The category of the streams of API keys. */
export const API_KEY_CATEGORY = 'api-key';

/** The stream of an API key, which is also its name as an actor: `api-key-7` for 7. */
export function apiKeyStream(id: bigint): string {
  return `${API_KEY_CATEGORY}-${id}`;
}

/** The last ban of a key that the log has. */
export interface RecordedBan {
  /** Milliseconds since 1970; 0 without a ban since the last unban. */
  readonly until: number;
  /** Its place on the ladder of ever longer bans, from 1; 0 without a ban. */
  readonly step: number;
  /** Grows each time a ban of this key is lifted: a ban with a smaller number is over. Follows the clock, so it grows even if the log was restored from a backup. */
  readonly unbans: number;
  /** Why, of a ban that an operator imposed. */
  readonly reason?: string | undefined;
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

export const MAX_LIMIT = 1_000_000_000;

/** A plan as it is asked for or stored: enterprise has limits of its own, the others have none. */
export interface PlanChoice {
  readonly plan: Plan;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
}

/**
 * Returns a plan with exactly the limits that belong to it.
 * @throws ApplicationError `invalid_request` if enterprise lacks one of its limits, or if another plan is given one
 */
export function choosePlan({ plan, perMinute, perDay }: PlanChoice) {
  if (isPublished(plan)) {
    if (perMinute === undefined && perDay === undefined) return { plan };
    throw invalidMember(
      'limits',
      'exclusive',
      `limits (perMinute and perDay) are for the plan enterprise only; leave them out for ${plan}`,
    );
  }
  if (perMinute === undefined || perDay === undefined) {
    throw invalidMember('limits', 'required', 'limits (perMinute and perDay) are both required for the plan enterprise');
  }
  return { plan, perMinute, perDay };
}

/**
 * Returns a stored plan with the limits in force. One of a newer build, which records the limits beside it, is shown as enterprise; without
 * them it has those of the plan free, so that no key fails for a plan that this build does not know.
 */
export function readPlan({ plan, perMinute, perDay }: PlanChoice): { readonly plan: Plan; readonly limits: Limits } {
  if (isPublished(plan)) return { plan, limits: PUBLISHED_LIMITS[plan] };
  const { free } = PUBLISHED_LIMITS;
  return { plan: 'enterprise', limits: { perMinute: perMinute ?? free.perMinute, perDay: perDay ?? free.perDay } };
}

function isPublished(plan: string): plan is PublishedPlan {
  return Object.hasOwn(PUBLISHED_LIMITS, plan);
}

interface ScopeRules {
  /** Whether a key has it unless its scopes are given. */
  readonly isDefault?: boolean;
  /** Other scopes that a key with it has too. */
  readonly includes?: readonly string[];
}

/** The scopes that a key can have, of all modules. */
export class Scopes {
  constructor(private readonly definitions: ReadonlyMap<string, ScopeRules>) {}

  /** Names of all scopes, the default ones first. */
  all(): readonly string[] {
    return [...this.definitions.keys()];
  }

  /** Default scopes of a new key. */
  defaults(): readonly string[] {
    return [...this.definitions].filter(([, { isDefault }]) => isDefault).map(([name]) => name);
  }

  /** Returns the granted scopes, followed by those that they include. */
  withIncluded(granted: readonly string[]): readonly string[] {
    const scopes = new Set(granted);
    // The loop also visits scopes that it adds.
    for (const scope of scopes) for (const included of this.definitions.get(scope)?.includes ?? []) scopes.add(included);
    return [...scopes];
  }

  /** Returns an error unless all of these scopes exist. */
  validationErrors(wanted: readonly string[] | undefined): FieldError[] {
    const names = this.all();
    const isUnknown = Array.isArray(wanted) && wanted.some((scope: unknown) => typeof scope === 'string' && !names.includes(scope));
    return isUnknown ? [{ field: 'scopes', rule: 'in', message: `scopes must be among ${names.join(', ')}` }] : [];
  }
}
