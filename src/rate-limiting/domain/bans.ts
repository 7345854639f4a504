const LADDER_MEMORY = 24 * 60 * 60 * 1_000;

/** When a key is banned and for how long. Times are in milliseconds. */
export interface BanRules {
  /** Refusals within one UTC minute that are put up with; one more bans the key. 0: no key is ever banned. */
  readonly after: number;
  /** Refusals this soon after the first one of the minute are not counted: the client cannot have read that one yet. */
  readonly grace: number;
  /** How long the first ban lasts, the second, and so on; the last one repeats. */
  readonly ladder: readonly number[];
}

/** The last ban of a key as the log has it. */
export interface RecordedBan {
  /** Milliseconds since 1970; 0 where there was no ban since the last time one was lifted. */
  readonly until: number;
  /** Its place on the ladder, from 1; 0 where there was none. */
  readonly step: number;
  /** Grows when a ban of this key is lifted: a ban is worth nothing once the number has grown. */
  readonly unbans: number;
}

/** How a key behaved lately. */
export interface Conduct {
  refusalMinute: number;
  firstRefusalAt: number;
  refusals: number;
  bannedUntil: number;
  banStep: number;
  unbans: number;
}

export function newConduct(): Conduct {
  return { refusalMinute: 0, firstRefusalAt: 0, refusals: 0, bannedUntil: 0, banStep: 0, unbans: 0 };
}

/** Takes over a ban, or the lifting of one, that the log has and this process did not know of. */
export function mergeRecordedBan(conduct: Conduct, { until, step, unbans }: RecordedBan): void {
  const isNews = unbans > conduct.unbans || (unbans === conduct.unbans && until > conduct.bannedUntil);
  if (!isNews) return;
  conduct.bannedUntil = until;
  conduct.banStep = step;
  conduct.unbans = unbans;
}

/** The one that came last: of the log, and of what an instance knows. */
export function lastBan(logged: RecordedBan, conduct: Conduct | undefined): RecordedBan {
  if (!conduct) return logged;
  const { bannedUntil: until, banStep: step, unbans } = conduct;
  return unbans > logged.unbans || (unbans === logged.unbans && until > logged.until) ? { until, step, unbans } : logged;
}

export function isBanned(conduct: Conduct, now: number): boolean {
  return now < conduct.bannedUntil;
}

/**
 * Counts a refusal in the given UTC minute and bans the key when it is one too many; a ban clears the count.
 * @returns the ban that the refusal brought, if any.
 */
export function recordRejection(
  conduct: Conduct,
  rules: BanRules,
  at: { readonly minute: number; readonly now: number },
): RecordedBan | undefined {
  if (rules.after === 0) return undefined;
  if (conduct.refusalMinute !== at.minute) {
    conduct.refusalMinute = at.minute;
    conduct.firstRefusalAt = at.now;
    conduct.refusals = 0;
  }
  if (at.now - conduct.firstRefusalAt < rules.grace) return undefined;
  conduct.refusals += 1;
  return conduct.refusals > rules.after ? ban(conduct, rules, at.now) : undefined;
}

function ban(conduct: Conduct, { ladder }: BanRules, now: number): RecordedBan {
  const step = nextStep(conduct, ladder.length, now);
  conduct.bannedUntil = now + (ladder[step - 1] ?? 0);
  conduct.banStep = step;
  conduct.refusalMinute = 0;
  conduct.refusals = 0;
  return { until: conduct.bannedUntil, step, unbans: conduct.unbans };
}

/** 24 hours after the last ban has ended the ladder starts anew. */
function nextStep({ banStep, bannedUntil }: Conduct, lastStep: number, now: number): number {
  return now - bannedUntil >= LADDER_MEMORY ? 1 : Math.min(banStep + 1, lastStep);
}
