import type { Allowance } from './decision.js';
import { remainingIn, tighterWindow, type WindowState } from './windows.js';

/** What the headers of an answer say of one window. */
export interface AnnouncedWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Until the window ends, or until the ban does where that is later; rounded up. */
  readonly secondsLeft: number;
}

/** What the headers of an answer say. */
export interface Announcement {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds, rounded up. */
  readonly resetAt: number;
  /** A client that waits so many seconds finds what blocked it over. */
  readonly retryAfter: number;
  readonly minute: AnnouncedWindow;
  readonly day: AnnouncedWindow;
}

/** Describes the window that blocks first or, during a ban, the ban. */
export function announce({ at, windows, bannedUntil }: Allowance): Announcement {
  const window = tighterWindow(windows);
  const isBanned = bannedUntil > 0;
  const endsAt = isBanned ? bannedUntil : window.endsAt;
  return {
    limit: window.limit,
    remaining: isBanned ? 0 : remainingIn(window),
    resetAt: Math.ceil(endsAt / 1_000),
    retryAfter: secondsUntil(endsAt, at),
    minute: announceWindow(windows.minute, bannedUntil, at),
    day: announceWindow(windows.day, bannedUntil, at),
  };
}

function announceWindow(window: WindowState, bannedUntil: number, at: number): AnnouncedWindow {
  const remaining = bannedUntil > 0 ? 0 : remainingIn(window);
  return { limit: window.limit, remaining, secondsLeft: secondsUntil(Math.max(window.endsAt, bannedUntil), at) };
}

function secondsUntil(instant: number, at: number): number {
  return Math.ceil((instant - at) / 1_000);
}
