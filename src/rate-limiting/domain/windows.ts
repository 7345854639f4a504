const MINUTE = 60_000;
const DAY = 86_400_000;

/** How many requests a subject may send in one UTC minute and in one UTC day. */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** What a subject has used up. Windows are numbered from 1970 on; four small numbers, whatever the number of requests. */
export interface WindowCounts {
  minute: number;
  minuteUsed: number;
  day: number;
  dayUsed: number;
}

/** One window as a client is told about it. */
export interface WindowState {
  readonly limit: number;
  /** More than the limit after a change to a smaller plan. */
  readonly used: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** Both windows of a subject at one instant. */
export interface Windows {
  readonly minute: WindowState;
  readonly day: WindowState;
}

export function newWindowCounts(): WindowCounts {
  return { minute: 0, minuteUsed: 0, day: 0, dayUsed: 0 };
}

/**
 * Begins the windows that contain `now` (milliseconds since 1970) where the ones so far are over.
 * A clock that steps back by up to a minute stays in the windows so far, so no window's end goes backwards. Set back
 * further, the clock is believed, and what was used up is carried into the earlier windows.
 */
export function enterWindows(counts: WindowCounts, now: number): void {
  const minute = Math.floor(now / MINUTE);
  if (minute === counts.minute || minute === counts.minute - 1) return;
  const day = dayOf(now);
  if (minute > counts.minute) counts.minuteUsed = 0;
  if (day > counts.day) counts.dayUsed = 0;
  counts.minute = minute;
  counts.day = day;
}

/** Takes over what another instance counted of the same caller: the higher count of a window, and all of a later window. */
export function adoptCounts(counts: WindowCounts, { minute, minuteUsed, day, dayUsed }: WindowCounts): void {
  if (minute >= counts.minute) {
    counts.minuteUsed = minute > counts.minute ? minuteUsed : Math.max(counts.minuteUsed, minuteUsed);
    counts.minute = minute;
  }
  if (day >= counts.day) {
    counts.dayUsed = day > counts.day ? dayUsed : Math.max(counts.dayUsed, dayUsed);
    counts.day = day;
  }
}

/** Takes one request from both windows, or from neither when one of them is used up. */
export function consume(counts: WindowCounts, limits: Limits): boolean {
  if (counts.minuteUsed >= limits.perMinute || counts.dayUsed >= limits.perDay) return false;
  counts.minuteUsed += 1;
  counts.dayUsed += 1;
  return true;
}

export function windowsOf(counts: WindowCounts, limits: Limits): Windows {
  return {
    minute: { limit: limits.perMinute, used: counts.minuteUsed, endsAt: (counts.minute + 1) * MINUTE },
    day: { limit: limits.perDay, used: counts.dayUsed, endsAt: (counts.day + 1) * DAY },
  };
}

/** Requests left in a window. */
export function remainingIn({ limit, used }: WindowState): number {
  return used < limit ? limit - used : 0;
}

/** The window that blocks first: the one with fewer requests left, the minute in a tie, the day when both are used up. */
export function tighterWindow({ minute, day }: Windows): WindowState {
  const minuteLeft = remainingIn(minute);
  const dayLeft = remainingIn(day);
  return dayLeft < minuteLeft || dayLeft === 0 ? day : minute;
}

/** The number of the UTC day, counted from 1970. Counts of an earlier day say nothing any more. */
export function dayOf(now: number): number {
  return Math.floor(now / DAY);
}
