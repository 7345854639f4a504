import type { RecordedBan, WindowLimit } from '../../auth/index.js';

const LADDER_MEMORY_MILLISECONDS = 86_400_000;

/** When a caller is banned and for how long. Times are in milliseconds. */
export interface BanRules {
  /** Rejections within the shortest window without a ban; one more bans the caller. */
  readonly after: number;
  /** Rejections this soon after the first of the window are not counted: the client cannot have read that one yet. */
  readonly grace: number;
  /** How long the first ban lasts, the second, and so on; the last one repeats. */
  readonly ladder: readonly number[];
}

/** The limits of a caller. */
export interface Terms {
  /** The shortest first. */
  readonly windows: readonly WindowLimit[];
  /** The recorded ban of an API key. */
  readonly ban?: RecordedBan | undefined;
  /** Undefined for a caller that is never banned, such as an address: others may share it. */
  readonly rules?: BanRules | undefined;
}

/** A window of this length, aligned to UTC. */
export interface WindowLength {
  readonly seconds: number;
}

/** What was counted in one window. */
export interface WindowCount extends WindowLength {
  /** The number of the window, counted from 1970. */
  number: number;
  used: number;
}

/** What is kept of a caller, whatever the number of requests. Times are in milliseconds since 1970. */
export interface Counts {
  /** In the order of the limits. */
  readonly windows: readonly WindowCount[];
  /** The shortest window with a rejection, by its number. */
  refusalWindow: number;
  firstRefusalAt: number;
  refusals: number;
  /** The last one that is known, in force or over. */
  ban: RecordedBan;
}

/** One window as the response headers describe it. */
export interface WindowState extends WindowLimit {
  /** More than the limit after a change to a smaller plan. */
  readonly used: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** The state of a client's limits, as response headers describe it. Times are in milliseconds since 1970. */
export interface LimitStatus {
  /** The instant for which this holds, by the clock that counts. */
  readonly at: number;
  readonly windows: readonly WindowState[];
  /** The end of the ban; 0 without one. */
  readonly bannedUntil: number;
}

/** Whether a request is admitted, with the state of its limits. */
export interface Decision extends LimitStatus {
  readonly outcome: 'admitted' | 'refused' | 'banned';
  /** The ban that this request caused. */
  readonly newBan?: RecordedBan;
}

export const NEVER_BANNED: RecordedBan = { until: 0, step: 0, unbans: 0 };

/** Returns the counts of a caller that has sent nothing. */
export function newCounts(windows: readonly WindowLength[]): Counts {
  const counts = windows.map(({ seconds }) => ({ seconds, number: 0, used: 0 }));
  return { windows: counts, refusalWindow: 0, firstRefusalAt: 0, refusals: 0, ban: NEVER_BANNED };
}

/** Decides on a request and counts it. A refused one takes from no window, one during a ban changes nothing. */
export function decide(counts: Counts, terms: Terms, now: number): Decision {
  catchUp(counts, terms, now);
  if (now < counts.ban.until) return { outcome: 'banned', ...limitStatus(counts, terms, now) };
  if (terms.windows.every(({ limit }, index) => (counts.windows[index]?.used ?? limit) < limit)) {
    for (const window of counts.windows) window.used += 1;
    return { outcome: 'admitted', ...limitStatus(counts, terms, now) };
  }
  const newBan = terms.rules && recordRejection(counts, terms.rules, now);
  const status = limitStatus(counts, terms, now);
  return newBan ? { outcome: 'banned', ...status, newBan } : { outcome: 'refused', ...status };
}

/** Returns the current state of the client's limits; counts nothing. */
export function inspect(counts: Counts, terms: Terms, now: number): LimitStatus {
  catchUp(counts, terms, now);
  return limitStatus(counts, terms, now);
}

function catchUp(counts: Counts, { ban }: Terms, now: number): void {
  counts.ban = laterBan(counts.ban, ban);
  enterWindows(counts, now);
}

/** Returns the state of the limits from counts that are up to date at `at`. */
export function limitStatus({ windows, ban: { until } }: Counts, terms: Terms, at: number): LimitStatus {
  const states = terms.windows.map(({ name, seconds, limit }, index) => {
    const { number, used } = windows[index] ?? { number: 0, used: 0 };
    return { name, seconds, limit, used, endsAt: (number + 1) * seconds * 1_000 };
  });
  return { at, windows: states, bannedUntil: at < until ? until : 0 };
}

/** Requests left in a window. */
export function countRemaining({ limit, used }: WindowState): number {
  return used < limit ? limit - used : 0;
}

/** Returns the window that blocks first: the one with the fewest requests left, the shortest in a tie, the longest of those used up. */
export function tighterWindow(windows: readonly WindowState[]): WindowState {
  return windows.reduce((tighter, longer) => {
    const left = countRemaining(longer);
    return left < countRemaining(tighter) || left === 0 ? longer : tighter;
  });
}

/** Returns the seconds after which the ban, or else the window that blocks first, is over, rounded up. */
export function retryAfter({ at, windows, bannedUntil }: LimitStatus): number {
  return secondsBetween(at, bannedUntil > 0 ? bannedUntil : tighterWindow(windows).endsAt);
}

export function secondsBetween(from: number, to: number): number {
  return Math.ceil((to - from) / 1_000);
}

/** Returns the number of the window that contains a moment, counted from 1970. */
export function windowNumber({ seconds }: WindowLength, now: number): number {
  return Math.floor(now / (seconds * 1_000));
}

/**
 * Begins the windows that contain `now` if the previous ones are over. A clock that steps back by up to the shortest window stays in the
 * present windows, so no window's end goes backwards. If it is set back further, what was used up is carried into the earlier windows.
 */
export function enterWindows(counts: Counts, now: number): void {
  for (const [index, count] of counts.windows.entries()) {
    const number = windowNumber(count, now);
    if (index === 0 && number === count.number - 1) return;
    if (number > count.number) count.used = 0;
    count.number = number;
  }
}

/** Whether the next request would be decided as if it were the first. */
export function areCountsOver({ windows, ban }: Counts, now: number): boolean {
  return now >= ban.until && windows.every((count) => windowNumber(count, now) > count.number);
}

/** Takes over what another instance knows of the same caller: the higher count of a window, all of a later window, and a newer ban. */
export function mergeCounts(counts: Counts, other: Counts): void {
  for (const [index, { number, used }] of other.windows.entries()) {
    const count = counts.windows[index];
    if (!count || number < count.number) continue;
    count.used = number > count.number ? used : Math.max(count.used, used);
    count.number = number;
  }
  counts.ban = laterBan(counts.ban, other.ban);
}

/** Returns the later of two bans of a key; one that was imposed before the last one was lifted is over. */
export function laterBan(known: RecordedBan, other: RecordedBan = NEVER_BANNED): RecordedBan {
  return other.unbans > known.unbans || (other.unbans === known.unbans && other.until > known.until) ? other : known;
}

/** Returns the ban that a rejection at `now` causes if it is one too many. 24 hours after the last ban has ended the ladder starts again. */
export function nextBan({ until, step: last, unbans }: RecordedBan, { ladder }: BanRules, now: number): RecordedBan {
  const step = now - until >= LADDER_MEMORY_MILLISECONDS ? 1 : Math.min(last + 1, ladder.length);
  return { until: now + (ladder[step - 1] ?? 0), step, unbans };
}

/** Counts a rejection in the shortest window. @returns the ban that it caused, which clears the count; undefined without one */
function recordRejection(counts: Counts, rules: BanRules, now: number): RecordedBan | undefined {
  const number = counts.windows[0]?.number ?? 0;
  if (counts.refusalWindow !== number) Object.assign(counts, { refusalWindow: number, firstRefusalAt: now, refusals: 0 });
  if (now - counts.firstRefusalAt < rules.grace) return undefined;
  counts.refusals += 1;
  if (counts.refusals <= rules.after) return undefined;
  const ban = nextBan(counts.ban, rules, now);
  Object.assign(counts, { ban, refusalWindow: 0, refusals: 0 });
  return ban;
}
