import type { ApiKeyBanned, ApiKeyEvent, ApiKeyUnbanned } from './api-key.events.js';

/** The last ban of a key. */
export interface RecordedBan {
  /** Milliseconds since 1970; 0 where there was no ban since the last time one was lifted. */
  readonly until: number;
  /** Its place on the ladder of ever longer bans, from 1; 0 where there was none. */
  readonly step: number;
  /** Grows each time that a ban of this key is lifted. By the time, so that it also grows over what a log has lost that has gone back. */
  readonly unbans: number;
}

export const NEVER_BANNED: RecordedBan = { until: 0, step: 0, unbans: 0 };

/** A ban to record, as it was imposed by whoever counts requests. */
export interface BanKey {
  readonly type: 'ban';
  readonly id: bigint;
  readonly until: Date;
  readonly step: number;
  /** What `unbans` of the recorded ban was when this one was imposed. */
  readonly unbans: number;
}

/** Records a ban, unless bans were lifted after it was imposed or one that lasts as long is recorded already. */
export function ban({ until, step, unbans }: BanKey, recorded: RecordedBan): ApiKeyEvent[] {
  if (unbans < recorded.unbans || until.getTime() <= recorded.until) return [];
  return [{ type: 'api-key-banned', data: { until: until.toISOString(), step } }];
}

/**
 * Lifts the last ban, also one that is over: its place on the ladder goes with it. Recorded in any case: whoever counts requests may know
 * of a ban that the log does not have, or has lost.
 */
export function unban({ unbans }: RecordedBan, now: Date): ApiKeyEvent {
  return { type: 'api-key-unbanned', data: { unbans: Math.max(unbans + 1, now.getTime()) } };
}

/** The last ban after one was recorded or lifted. */
export function banAfter({ unbans }: RecordedBan, event: ApiKeyBanned | ApiKeyUnbanned): RecordedBan {
  if (event.type === 'api-key-unbanned') return { until: 0, step: 0, unbans: unbansAfter(unbans, event.data) };
  return { until: Date.parse(event.data.until), step: event.data.step, unbans };
}

/** Events of older builds have no number of their own. */
export function unbansAfter(before: number, { unbans }: ApiKeyUnbanned['data']): number {
  return unbans ?? before + 1;
}
