import { invalidMember } from '#libs/observability';

/** A window of time, aligned to UTC, and how many requests a caller may send in it. */
export interface WindowLimit {
  readonly name: string;
  readonly seconds: number;
  readonly limit: number;
}

/**
 * The windows in which requests are counted, the shortest first, with the limits of the published plans (interface section 8), an example for
 * the plan enterprise, and the defaults for client addresses. One more window takes one more line, and columns for its counts.
 */
const WINDOW_LIMITS = [
  { name: 'minute', seconds: 60, free: 60, pro: 300, business: 1_000, enterprise: 5_000, anonymous: 60, open: 300 },
  { name: 'day', seconds: 86_400, free: 1_000, pro: 10_000, business: 100_000, enterprise: 1_000_000, anonymous: 1_000, open: 20_000 },
] as const;

export type WindowName = (typeof WINDOW_LIMITS)[number]['name'];
export type LimitName = `per${Capitalize<WindowName>}`;

/** The same with the member that has the limit for clients and in events, such as `perDay`. */
export const WINDOWS = WINDOW_LIMITS.map((window) => ({
  ...window,
  member: `per${window.name.charAt(0).toUpperCase()}${window.name.slice(1)}` as LimitName,
}));

type Window = (typeof WINDOWS)[number];

export const SHORTEST_WINDOW = WINDOWS.reduce((first) => first);
export const LONGEST_WINDOW = WINDOWS.reduce((_, last) => last);

/** How many requests a caller may send in each window. */
export type Limits = Readonly<Record<LimitName, number>>;

/** Limits as a caller gave them, or as a key has them that may have none. */
export type GivenLimits = { readonly [Name in LimitName]?: number | undefined };

export const LIMIT_NAMES: readonly LimitName[] = WINDOWS.map(({ member }) => member);

const PUBLISHED_PLANS = ['free', 'pro', 'business'] as const;
type PublishedPlan = (typeof PUBLISHED_PLANS)[number];

export type Plan = PublishedPlan | 'enterprise';

export const PLANS: readonly Plan[] = [...PUBLISHED_PLANS, 'enterprise'];

const PLAN_LIMITS = Object.fromEntries(PLANS.map((plan) => [plan, byLimit((window) => window[plan])])) as Record<Plan, Limits>;

/** Limits that a key of the plan enterprise may have. */
export const ENTERPRISE_EXAMPLE = PLAN_LIMITS.enterprise;

export const MAX_LIMIT = 1_000_000_000;

/** A plan as it is asked for or stored: enterprise has limits of its own, the others have none. */
export interface PlanChoice extends GivenLimits {
  readonly plan: Plan;
}

/** Returns an object with a member for each window, by its name. */
export function byWindow<Value>(create: (window: Window, index: number) => Value): Readonly<Record<WindowName, Value>> {
  return Object.fromEntries(WINDOWS.map((window, index) => [window.name, create(window, index)])) as Record<WindowName, Value>;
}

/** Returns an object with a member for the limit of each window, by its public name. */
export function byLimit<Value>(create: (window: Window) => Value): Readonly<Record<LimitName, Value>> {
  return Object.fromEntries(WINDOWS.map((window) => [window.member, create(window)])) as Record<LimitName, Value>;
}

/** Returns the windows with their limits. */
export function toWindowLimits(limits: Limits): readonly WindowLimit[] {
  return WINDOWS.map(({ name, seconds, member }) => ({ name, seconds, limit: limits[member] }));
}

/**
 * Returns a plan with exactly the limits that belong to it.
 * @throws ApplicationError `invalid_request` if enterprise lacks one of its limits, or if another plan is given one
 */
export function choosePlan(choice: PlanChoice): { readonly plan: Plan } & Partial<Limits> {
  const { plan } = choice;
  const given = LIMIT_NAMES.filter((name) => choice[name] !== undefined);
  const limits = `limits (${LIMIT_NAMES.join(' and ')})`;
  if (isPublished(plan)) {
    if (given.length === 0) return { plan };
    throw invalidMember('limits', 'exclusive', `${limits} are for the plan enterprise only; leave them out for ${plan}`);
  }
  if (given.length < LIMIT_NAMES.length) {
    throw invalidMember('limits', 'required', `${limits} are both required for the plan enterprise`);
  }
  return { plan, ...(pickLimits(choice) as Limits) };
}

/**
 * Returns a stored plan with the limits in force. One of a newer build, which records the limits beside it, is shown as enterprise; without
 * them it has those of the plan free, so that no key fails for a plan that this build does not know.
 */
export function readPlan(choice: PlanChoice): { readonly plan: Plan; readonly limits: Limits } {
  const { plan } = choice;
  if (isPublished(plan)) return { plan, limits: PLAN_LIMITS[plan] };
  return { plan: 'enterprise', limits: byLimit(({ member, free }) => choice[member] ?? free) };
}

/** Returns only the limits among some values; undefined for those that are absent. */
export function pickLimits(values: GivenLimits): Readonly<Record<LimitName, number | undefined>> {
  return byLimit(({ member }) => values[member]);
}

function isPublished(plan: string): plan is PublishedPlan {
  return PUBLISHED_PLANS.some((published) => published === plan);
}
