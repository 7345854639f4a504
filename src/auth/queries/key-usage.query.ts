import { Query } from '@nestjs/cqrs';
import type { ApiKeyView } from '../domain/api-key-view.js';
import type { RecordedBan } from '../domain/api-key.js';
import type { Plan, WindowLimit, WindowName } from '../domain/plans.js';

// What keys have used is counted where requests are limited, in a module above this one, which has the handlers of these queries.

/** The most days that usage is kept. */
export const MOST_DAYS = 400;

/** One window of a key. */
export interface WindowUsage {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetsAt: Date;
}

/** All windows of a key, by their names. */
export type WindowUsages = Readonly<Record<WindowName, WindowUsage>>;

/** What a key has left at a moment. */
export interface KeyLimits {
  readonly windows: WindowUsages;
  /** The end of the ban in force, also of one that is not in the log yet; undefined without one. */
  readonly bannedUntil: Date | undefined;
}

/**
 * The state of an API key's limits as of its last request to this instance, with the requests to every instance until then. Counts nothing.
 * Only in the service.
 */
export class GetKeyLimits extends Query<KeyLimits> {
  constructor(readonly key: { readonly keyId: bigint; readonly windows: readonly WindowLimit[]; readonly ban: RecordedBan }) {
    super();
  }
}

/** What an API key has used up of its plan. */
export interface KeyUsage extends WindowUsages {
  readonly id: bigint;
  readonly plan: Plan;
  /** The ban in force; `step`: its place on the ladder, from 1; `reason`: why, of one by an operator. */
  readonly ban: { readonly until: Date; readonly step: number; readonly reason?: string } | null;
}

/** What these API keys have used up as of the last second, in the order of the keys. */
export class ListKeyUsages extends Query<readonly KeyUsage[]> {
  constructor(readonly keys: readonly ApiKeyView[]) {
    super();
  }
}

/** How many requests of the longest window each API key has used, without those that have used none. */
export class FindUsedToday extends Query<ReadonlyMap<bigint, number>> {}

/** The requests of an API key on one UTC day. */
export interface UsageOfDay {
  /** Such as `2026-06-01`. */
  readonly date: string;
  /** Requests that the limiter let through. */
  readonly requests: number;
  /** Requests that were answered with 429. */
  readonly refusals: number;
}

/** Returns the last days of API keys up to today, oldest first, those without requests too. A request is in it after 10 s at most. */
export class ListDailyUsage extends Query<ReadonlyMap<bigint, readonly UsageOfDay[]>> {
  constructor(
    readonly keyIds: readonly bigint[],
    readonly days: number,
  ) {
    super();
  }
}
