import type { ApiKeyBanned, ApiKeyEvent, ApiKeyUnbanned } from './api-key.events.js';

/** The last ban of a key. */
export interface BanStanding {
  /** Milliseconds since 1970; 0 where there was no ban since the last time one was lifted. */
  readonly until: number;
  /** Its place on the ladder of ever longer bans, from 1; 0 where there was none. */
  readonly step: number;
  /** How often a ban of this key was lifted. */
  readonly unbans: number;
}

export const NEVER_BANNED: BanStanding = { until: 0, step: 0, unbans: 0 };

/** A ban to record, as it was imposed by whoever counts requests. */
export interface BanKey {
  readonly type: 'ban';
  readonly id: bigint;
  readonly until: Date;
  readonly step: number;
  /** How often bans had been lifted when this one was imposed. */
  readonly unbans: number;
}

/** Records a ban, unless bans were lifted after it was imposed or one that lasts as long is recorded already. */
export function ban({ until, step, unbans }: BanKey, standing: BanStanding): ApiKeyEvent[] {
  if (unbans !== standing.unbans || until.getTime() <= standing.until) return [];
  return [{ type: 'api-key-banned', data: { until: until.toISOString(), step } }];
}

/** Lifts the last ban, also one that is over: its place on the ladder goes with it. */
export function unban(standing: BanStanding): ApiKeyEvent[] {
  return standing.until === 0 ? [] : [{ type: 'api-key-unbanned', data: {} }];
}

/** The last ban after one was recorded or lifted. */
export function banAfter({ unbans }: BanStanding, event: ApiKeyBanned | ApiKeyUnbanned): BanStanding {
  if (event.type === 'api-key-unbanned') return { until: 0, step: 0, unbans: unbans + 1 };
  return { until: Date.parse(event.data.until), step: event.data.step, unbans };
}
