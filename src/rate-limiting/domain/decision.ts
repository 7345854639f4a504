import type { Limits, RecordedBan } from '../../auth/index.js';

const MINUTE = 60_000;
export const DAY_MILLISECONDS = 86_400_000;
const LADDER_MEMORY = DAY_MILLISECONDS;

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

/** What is kept of a caller, whatever the number of requests. Windows are numbered from 1970 on. */
export interface Counts extends AbuseState {
  minute: number;
  minuteUsed: number;
  day: number;
  dayUsed: number;
}

/** The limits of a caller and, for an API key, its recorded ban. Addresses are never banned: others may share them. */
export interface Terms {
  readonly limits: Limits;
  readonly ban?: RecordedBan | undefined;
}

/** One window as the response headers describe it. */
export interface WindowState {
  readonly limit: number;
  /** More than the limit after a change to a smaller plan. */
  readonly used: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

export interface Windows {
  readonly minute: WindowState;
  readonly day: WindowState;
}

/** The state of a client's limits, as response headers describe it. Times are in milliseconds since 1970. */
export interface LimitStatus {
  /** The instant for which this holds, by the clock that counts. */
  readonly at: number;
  readonly windows: Windows;
  /** The end of the ban; 0 without one. */
  readonly bannedUntil: number;
}

/** Whether a request is admitted, with the state of its limits. */
export interface Decision extends LimitStatus {
  readonly outcome: 'admitted' | 'refused' | 'banned';
  /** The ban that this request caused. */
  readonly newBan?: RecordedBan;
}

export function newCounts(): Counts {
  return {
    minute: 0,
    minuteUsed: 0,
    day: 0,
    dayUsed: 0,
    refusalMinute: 0,
    firstRefusalAt: 0,
    refusals: 0,
    bannedUntil: 0,
    banStep: 0,
    unbans: 0,
  };
}

/** Decides on a request and counts it. A refused one takes from neither window, one during a ban changes nothing. */
export function decide(counts: Counts, terms: Terms, rules: BanRules, now: number): Decision {
  catchUp(counts, terms, now);
  if (now < counts.bannedUntil) return { outcome: 'banned', ...limitStatus(counts, terms.limits, now) };
  if (consume(counts, terms.limits)) return { outcome: 'admitted', ...limitStatus(counts, terms.limits, now) };
  const newBan = terms.ban && recordRejection(counts, rules, { minute: counts.minute, now });
  const status = limitStatus(counts, terms.limits, now);
  return newBan ? { outcome: 'banned', ...status, newBan } : { outcome: 'refused', ...status };
}

/** Returns the current state of the client's limits; counts nothing. */
export function inspect(counts: Counts, terms: Terms, now: number): LimitStatus {
  catchUp(counts, terms, now);
  return limitStatus(counts, terms.limits, now);
}

/** Returns the state of the limits from counts that are up to date at `at`. */
export function limitStatus(counts: Counts, limits: Limits, at: number): LimitStatus {
  return { at, windows: toWindows(counts, limits), bannedUntil: at < counts.bannedUntil ? counts.bannedUntil : 0 };
}

export function toWindows(counts: Counts, limits: Limits): Windows {
  return {
    minute: { limit: limits.perMinute, used: counts.minuteUsed, endsAt: (counts.minute + 1) * MINUTE },
    day: { limit: limits.perDay, used: counts.dayUsed, endsAt: (counts.day + 1) * DAY_MILLISECONDS },
  };
}

/** Requests left in a window. */
export function countRemaining({ limit, used }: WindowState): number {
  return used < limit ? limit - used : 0;
}

/** Returns the window that blocks first: the one with fewer requests left, the minute in a tie, the day if both are used up. */
export function tighterWindow({ minute, day }: Windows): WindowState {
  const [minuteLeft, dayLeft] = [countRemaining(minute), countRemaining(day)];
  return dayLeft < minuteLeft || dayLeft === 0 ? day : minute;
}

/** Returns the number of the UTC day, counted from 1970. Counts of an earlier day are over. */
export function toDay(now: number): number {
  return Math.floor(now / DAY_MILLISECONDS);
}

/**
 * Begins the windows that contain `now` if the previous ones are over. A clock that steps back by up to a minute stays in the present
 * windows, so no window's end goes backwards. If it is set back further, what was used up is carried into the earlier windows.
 */
export function enterWindows(counts: Counts, now: number): void {
  const minute = Math.floor(now / MINUTE);
  if (minute === counts.minute || minute === counts.minute - 1) return;
  const day = toDay(now);
  if (minute > counts.minute) counts.minuteUsed = 0;
  if (day > counts.day) counts.dayUsed = 0;
  counts.minute = minute;
  counts.day = day;
}

/** Takes over what another instance knows of the same caller: the higher count of a window, all of a later window, and a newer ban. */
export function mergeCounts(counts: Counts, other: Counts): void {
  if (other.minute >= counts.minute) {
    counts.minuteUsed = other.minute > counts.minute ? other.minuteUsed : Math.max(counts.minuteUsed, other.minuteUsed);
    counts.minute = other.minute;
  }
  if (other.day >= counts.day) {
    counts.dayUsed = other.day > counts.day ? other.dayUsed : Math.max(counts.dayUsed, other.dayUsed);
    counts.day = other.day;
  }
  mergeRecordedBan(counts, lastBan(other));
}

function catchUp(counts: Counts, { ban }: Terms, now: number): void {
  if (ban) mergeRecordedBan(counts, ban);
  enterWindows(counts, now);
}

/** Takes one request from both windows, or from neither if one of them is used up. */
function consume(counts: Counts, limits: Limits): boolean {
  if (counts.minuteUsed >= limits.perMinute || counts.dayUsed >= limits.perDay) return false;
  counts.minuteUsed += 1;
  counts.dayUsed += 1;
  return true;
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
