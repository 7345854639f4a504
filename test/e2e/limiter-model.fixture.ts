import type { Limits } from '../../src/auth/index.js';
import type { BanRules } from '../../src/rate-limiting/domain/decision.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** The bans of a service that is not told otherwise: 1, 5, 15 and 60 minutes. */
export const DEFAULT_BANS: BanRules = { after: 10, grace: 2_000, ladder: [MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE] };

export interface Ban {
  readonly until: number;
  readonly step: number;
}

/** What a request has to be answered with, as far as its limits go. */
export interface ExpectedResponse {
  readonly outcome: 'admitted' | 'refused' | 'banned';
  readonly headers: Readonly<Record<string, string>>;
  /** For the header Retry-After of a 429. */
  readonly seconds: number;
}

/** The promised limits of one caller on a clock that does not step back, from the list of its requests rather than from counters. */
export class CallerModel {
  readonly bans: Ban[] = [];
  private admitted: number[] = [];
  private refused: number[] = [];

  /** @param rules undefined for a caller that is never banned */
  constructor(private readonly rules?: BanRules) {}

  send(now: number, limits: Limits): ExpectedResponse {
    if (this.isBanned(now)) return { outcome: 'banned', ...this.tell(now, limits) };
    const [minute, day] = this.windows(now, limits);
    if (minute.left > 0 && day.left > 0) {
      this.admitted.push(now);
      return { outcome: 'admitted', ...this.tell(now, limits) };
    }
    this.refused.push(now);
    this.banIfTooMany(now);
    return { outcome: this.isBanned(now) ? 'banned' : 'refused', ...this.tell(now, limits) };
  }

  /** The first moment at which the caller may be served, if the minute and bans were all that limits it. */
  endOfWait(now: number): number {
    return this.isBanned(now) ? (this.bans.at(-1)?.until ?? 0) : startOf(now, MINUTE) + MINUTE;
  }

  /** Forgets what only processes know that have all ended. */
  forgetRefusals(): void {
    this.refused = [];
  }

  forgetAll(): void {
    [this.admitted, this.refused] = [[], []];
  }

  private isBanned(now: number): boolean {
    return now < (this.bans.at(-1)?.until ?? 0);
  }

  private banIfTooMany(now: number): void {
    if (!this.rules) return;
    const { after, grace, ladder } = this.rules;
    const ofMinute = this.refused.filter((time) => time >= startOf(now, MINUTE));
    const counted = ofMinute.filter((time) => time - (ofMinute[0] ?? 0) >= grace);
    if (counted.length <= after) return;
    const last = this.bans.at(-1);
    const step = last && now - last.until < DAY ? Math.min(last.step + 1, ladder.length) : 1;
    this.bans.push({ until: now + (ladder[step - 1] ?? NaN), step });
    this.refused = [];
  }

  private windows(now: number, { perMinute, perDay }: Limits) {
    const window = (length: number, limit: number) => {
      const used = this.admitted.filter((time) => time >= startOf(now, length)).length;
      return { limit, left: Math.max(0, limit - used), endsAt: startOf(now, length) + length };
    };
    return [window(MINUTE, perMinute), window(DAY, perDay)] as const;
  }

  private tell(now: number, limits: Limits): Pick<ExpectedResponse, 'headers' | 'seconds'> {
    const [minute, day] = this.windows(now, limits);
    const tighter = day.left < minute.left || day.left === 0 ? day : minute;
    const bannedUntil = this.isBanned(now) ? this.bans.at(-1)?.until : undefined;
    const endsAt = bannedUntil ?? tighter.endsAt;
    const seconds = (until: number) => Math.ceil((until - now) / 1_000);
    const ban = bannedUntil === undefined ? '' : `"ban";r=0;t=${seconds(bannedUntil)}, `;
    return {
      seconds: seconds(endsAt),
      headers: {
        'x-ratelimit-limit': `${tighter.limit}`,
        'x-ratelimit-remaining': `${bannedUntil === undefined ? tighter.left : 0}`,
        'x-ratelimit-reset': `${Math.ceil(endsAt / 1_000)}`,
        'ratelimit-policy': `"minute";q=${minute.limit};w=60, "day";q=${day.limit};w=86400`,
        ratelimit: `${ban}"minute";r=${minute.left};t=${seconds(minute.endsAt)}, "day";r=${day.left};t=${seconds(day.endsAt)}`,
      },
    };
  }
}

/** Windows are aligned to the UTC minute and day, which begin at 1970. */
function startOf(now: number, length: number): number {
  return now - (now % length);
}
