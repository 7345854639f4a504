import { adoptStanding, isBanned, newConduct, noteRefusal, type BanRules, type BanStanding, type Conduct } from './bans.js';
import { consume, enterWindows, newWindowCounts, windowsOf, type Limits, type WindowCounts, type Windows } from './windows.js';

/** What is kept of an API key: what it has used up and how it behaved. */
export interface KeyCounts extends WindowCounts {
  readonly conduct: Conduct;
}

/** What is said of a key with each request: its plan's limits and its last ban as far as the log has it. */
export interface KeyTerms {
  readonly limits: Limits;
  readonly ban: BanStanding;
}

/** What a client is told about its limits. */
export interface Allowance {
  readonly windows: Windows;
  /** The end of the ban in milliseconds since 1970; 0 while there is none. */
  readonly bannedUntil: number;
}

/** Whether a request is let through, and what its client is told. */
export interface Decision extends Allowance {
  readonly outcome: 'admitted' | 'refused' | 'banned';
  /** The ban that this very request brought. */
  readonly newBan?: BanStanding;
}

export function newKeyCounts(): KeyCounts {
  return { ...newWindowCounts(), conduct: newConduct() };
}

/** Decides on a request of an API key and counts it. A refused one takes from no window, one during a ban leaves no trace. */
export function decideForKey(counts: KeyCounts, terms: KeyTerms, rules: BanRules, now: number): Decision {
  const { conduct } = counts;
  catchUp(counts, terms, now);
  if (isBanned(conduct, now)) return decision('banned', counts, terms.limits, conduct.bannedUntil);
  if (consume(counts, terms.limits)) return decision('admitted', counts, terms.limits);
  const newBan = noteRefusal(conduct, rules, { minute: counts.minute, now });
  if (!newBan) return decision('refused', counts, terms.limits);
  return { ...decision('banned', counts, terms.limits, newBan.until), newBan };
}

/** Decides on a request of a client address and counts it. Addresses are never banned: others may share them. */
export function decideForAddress(counts: WindowCounts, limits: Limits, now: number): Decision {
  enterWindows(counts, now);
  return decision(consume(counts, limits) ? 'admitted' : 'refused', counts, limits);
}

/** What a key's client would be told now; counts nothing. */
export function inspectKey(counts: KeyCounts, terms: KeyTerms, now: number): Allowance {
  catchUp(counts, terms, now);
  const { bannedUntil } = counts.conduct;
  return { windows: windowsOf(counts, terms.limits), bannedUntil: isBanned(counts.conduct, now) ? bannedUntil : 0 };
}

/** What a client at an address would be told now; counts nothing. */
export function inspectAddress(counts: WindowCounts, limits: Limits, now: number): Allowance {
  enterWindows(counts, now);
  return { windows: windowsOf(counts, limits), bannedUntil: 0 };
}

function catchUp(counts: KeyCounts, { ban }: KeyTerms, now: number): void {
  adoptStanding(counts.conduct, ban);
  enterWindows(counts, now);
}

function decision(outcome: Decision['outcome'], counts: WindowCounts, limits: Limits, bannedUntil = 0): Decision {
  return { outcome, windows: windowsOf(counts, limits), bannedUntil };
}
