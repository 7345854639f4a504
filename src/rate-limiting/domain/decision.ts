import { mergeRecordedBan, isBanned, newConduct, recordRejection, type BanRules, type RecordedBan, type Conduct } from './bans.js';
import { consume, enterWindows, newWindowCounts, windowsOf, type Limits, type WindowCounts, type Windows } from './windows.js';

/** What is kept of an API key: what it has used up and how it behaved. */
export interface KeyCounts extends WindowCounts {
  readonly conduct: Conduct;
}

/** What is said of a key with each request: its plan's limits and its last ban as far as the log has it. */
export interface KeyTerms {
  readonly limits: Limits;
  readonly ban: RecordedBan;
}

/** What a client is told about its limits. */
export interface Allowance {
  /** The instant for which this holds, in milliseconds since 1970 by the clock of whoever counts. */
  readonly at: number;
  readonly windows: Windows;
  /** The end of the ban in milliseconds since 1970; 0 while there is none. */
  readonly bannedUntil: number;
}

/** Whether a request is let through, and what its client is told. */
export interface Decision extends Allowance {
  readonly outcome: 'admitted' | 'refused' | 'banned';
  /** The ban that this very request brought. */
  readonly newBan?: RecordedBan;
}

export function newKeyCounts(): KeyCounts {
  return { ...newWindowCounts(), conduct: newConduct() };
}

/** Decides on a request of an API key and counts it. A refused one takes from no window, one during a ban leaves no trace. */
export function decideForKey(counts: KeyCounts, terms: KeyTerms, rules: BanRules, now: number): Decision {
  const { conduct } = counts;
  catchUp(counts, terms, now);
  if (isBanned(conduct, now)) return keyDecision('banned', counts, terms, now);
  if (consume(counts, terms.limits)) return keyDecision('admitted', counts, terms, now);
  const newBan = recordRejection(conduct, rules, { minute: counts.minute, now });
  return newBan ? { ...keyDecision('banned', counts, terms, now), newBan } : keyDecision('refused', counts, terms, now);
}

/** Decides on a request of a client address and counts it. Addresses are never banned: others may share them. */
export function decideForAddress(counts: WindowCounts, limits: Limits, now: number): Decision {
  enterWindows(counts, now);
  return { outcome: consume(counts, limits) ? 'admitted' : 'refused', ...describeAddress(counts, limits, now) };
}

/** What a key's client would be told now; counts nothing. */
export function inspectKey(counts: KeyCounts, terms: KeyTerms, now: number): Allowance {
  catchUp(counts, terms, now);
  return describeKey(counts, terms.limits, now);
}

/** What a client at an address would be told now; counts nothing. */
export function inspectAddress(counts: WindowCounts, limits: Limits, now: number): Allowance {
  enterWindows(counts, now);
  return describeAddress(counts, limits, now);
}

/** What the counts of a key, already brought up to `at`, let its client be told. */
export function describeKey(counts: KeyCounts, limits: Limits, at: number): Allowance {
  const { bannedUntil } = counts.conduct;
  return { at, windows: windowsOf(counts, limits), bannedUntil: isBanned(counts.conduct, at) ? bannedUntil : 0 };
}

function describeAddress(counts: WindowCounts, limits: Limits, at: number): Allowance {
  return { at, windows: windowsOf(counts, limits), bannedUntil: 0 };
}

function catchUp(counts: KeyCounts, { ban }: KeyTerms, now: number): void {
  mergeRecordedBan(counts.conduct, ban);
  enterWindows(counts, now);
}

function keyDecision(outcome: Decision['outcome'], counts: KeyCounts, { limits }: KeyTerms, now: number): Decision {
  return { outcome, ...describeKey(counts, limits, now) };
}
