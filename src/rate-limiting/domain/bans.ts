import type { RecordedBan } from '../../auth/index.js';

const LADDER_MEMORY = 24 * 60 * 60 * 1_000;

/** When a key is banned and for how long. Times are in milliseconds. */
export interface BanRules {
  /** Rejections within one UTC minute without a ban; one more bans the key. 0: no key is ever banned. */
  readonly after: number;
  /** Rejections this soon after the first of the minute are not counted: the client cannot have read that one yet. */
  readonly grace: number;
  /** How long the first ban lasts, the second, and so on; the last one repeats. */
  readonly ladder: readonly number[];
}

/** Recent rejections and the last ban of a caller. Times are in milliseconds since 1970. */
export interface AbuseState {
  refusalMinute: number;
  firstRefusalAt: number;
  refusals: number;
  bannedUntil: number;
  banStep: number;
  unbans: number;
}

/** Returns the newer one: the recorded ban, or the one that an instance knows of. */
export function latestBan(recorded: RecordedBan, known: AbuseState | undefined): RecordedBan {
  return known && isNewer(lastBan(known), recorded) ? lastBan(known) : recorded;
}

/** Takes over a recorded ban, or that one was lifted, if this process does not know it yet. */
export function mergeRecordedBan(state: AbuseState, { until, step, unbans }: RecordedBan): void {
  if (unbans < state.unbans || (unbans === state.unbans && until <= state.bannedUntil)) return;
  state.bannedUntil = until;
  state.banStep = step;
  state.unbans = unbans;
}

export function lastBan({ bannedUntil: until, banStep: step, unbans }: AbuseState): RecordedBan {
  return { until, step, unbans };
}

/**
 * Counts a rejection in the given UTC minute and bans the key if it is one too many; a ban clears the count.
 * @returns the ban that the rejection caused, if any
 */
export function recordRejection(
  state: AbuseState,
  rules: BanRules,
  { minute, now }: { minute: number; now: number },
): RecordedBan | undefined {
  if (rules.after === 0) return undefined;
  if (state.refusalMinute !== minute) {
    state.refusalMinute = minute;
    state.firstRefusalAt = now;
    state.refusals = 0;
  }
  if (now - state.firstRefusalAt < rules.grace) return undefined;
  state.refusals += 1;
  return state.refusals > rules.after ? ban(state, rules, now) : undefined;
}

/** 24 hours after the last ban has ended the ladder starts again. */
function ban(state: AbuseState, { ladder }: BanRules, now: number): RecordedBan {
  state.banStep = now - state.bannedUntil >= LADDER_MEMORY ? 1 : Math.min(state.banStep + 1, ladder.length);
  state.bannedUntil = now + (ladder[state.banStep - 1] ?? 0);
  state.refusalMinute = 0;
  state.refusals = 0;
  return lastBan(state);
}

function isNewer(one: RecordedBan, other: RecordedBan): boolean {
  return one.unbans > other.unbans || (one.unbans === other.unbans && one.until > other.until);
}
