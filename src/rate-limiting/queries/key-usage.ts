import type { ApiKeyView, Plan } from '../../auth/index.js';
import { enterWindows, remainingIn, windowsOf, type WindowCounts, type WindowState } from '../domain/windows.js';

/** One window of a key. */
export interface WindowUsage {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** ISO time. */
  readonly resetsAt: string;
}

/** What a key has used up of its plan. */
export interface KeyUsage {
  readonly id: bigint;
  readonly plan: Plan;
  readonly minute: WindowUsage;
  readonly day: WindowUsage;
  /** The ban in force; `until` is an ISO time, `step` its place on the ladder from 1. */
  readonly ban: { readonly until: string; readonly step: number } | null;
}

/** The usage of a key at an instant (milliseconds since 1970), whose counts are brought into the windows of that instant. */
export function keyUsageOf({ id, plan, limits, lastBan }: ApiKeyView, counts: WindowCounts, now: number): KeyUsage {
  enterWindows(counts, now);
  const { minute, day } = windowsOf(counts, limits);
  const ban = lastBan && Date.parse(lastBan.until) > now ? lastBan : null;
  return { id, plan, minute: usageOf(minute), day: usageOf(day), ban };
}

function usageOf(window: WindowState): WindowUsage {
  const { limit, used, endsAt } = window;
  return { limit, used, remaining: remainingIn(window), resetsAt: new Date(endsAt).toISOString() };
}
