import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { ApplicationError, CachedReading, Clock, errorCodes, MetricsRegistry } from '#libs/observability';
import { integer, minutes, PublicEventFollower, setting, type SettingValues } from '#libs/http';
import { LogHistory } from '#libs/event-sourcing';
import type { FastifyRequest } from 'fastify';
import { AuthenticationHook, type Caller } from '../../auth/index.js';

export const STREAM_LIMITS = Symbol('how many streams there may be, and for how long');

export const feedSettings = {
  streams: setting('FEED_STREAMS', integer(1, 1_000_000), {
    default: '2000',
    description: 'Streams of events that may be open at the same time on this instance',
  }),
  streamsPerKey: setting('FEED_STREAMS_PER_KEY', integer(1, 1_000_000), {
    default: '10',
    description: 'Streams of events that one key may have open at the same time on this instance',
  }),
  /** In milliseconds. */
  streamLifetime: setting('FEED_STREAM_MINUTES', minutes(525_600), {
    default: '60',
    description:
      'Minutes after which a stream ends, so that its client reconnects, perhaps to another instance; a decimal number such as 0.5',
  }),
};

export type StreamLimits = SettingValues<typeof feedSettings>;

/** Error codes of this module. */
export const feedErrors = errorCodes({
  too_many_streams: {
    status: 429,
    description: 'The API key has as many streams open as it may have at once.',
    remedy: 'End one of the streams, or read several types of events from one stream; then open the next one.',
  },
});

const RETRY_AFTER_SECONDS = 10;
const RETRY_LATER = { headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` } };

interface OpenStream {
  end(): void;
  /** Called several times a second while it is open. */
  tick?(): void;
}

interface Entry {
  readonly keyId: bigint;
  readonly request: FastifyRequest;
  readonly stream: OpenStream;
  readonly openedAt: number;
}

/** So that clients that are too many do not end each other's streams all the time. */
const YIELDS_AFTER_MILLISECONDS = 30_000;

// With the half second for which a key is cached, revoking a key ends its streams within a second.
const SWEEP_MILLISECONDS = 250;

/** The open streams and waiting pages of this instance. Ends those that are too old or have lost access. */
@Injectable()
export class OpenStreams implements BeforeApplicationShutdown {
  private readonly entries = new Set<Entry>();
  private readonly ofKeys = new Map<bigint, number>();
  private sweeping: NodeJS.Timeout | undefined;
  private isEnding = false;

  constructor(
    private readonly authentication: AuthenticationHook,
    private readonly clock: Clock,
    @Inject(STREAM_LIMITS) private readonly limits: StreamLimits,
    history: LogHistory,
  ) {
    history.onRewind(() => this.endAll());
  }

  get count(): number {
    return this.entries.size;
  }

  /**
   * The oldest stream of a key that has as many as it may have gives way if it is older than 30 s.
   * @param open opens the stream if the limits allow it
   * @returns a function to call when the stream has ended
   * @throws ApplicationError `too_many_streams` for the key, which does not count towards a ban; `service_unavailable` for the instance
   */
  add(request: FastifyRequest, { keyId }: Caller, open: () => OpenStream): () => void {
    const { streams, streamsPerKey } = this.limits;
    const ofKey = this.ofKeys.get(keyId) ?? 0;
    if (ofKey >= streamsPerKey && !this.endOldest(keyId)) {
      const message = `This API key has ${streamsPerKey} streams open on this instance, as many as it may have`;
      throw new ApplicationError(
        feedErrors.too_many_streams,
        `${message}; end one, or try again in ${RETRY_AFTER_SECONDS} s.`,
        RETRY_LATER,
      );
    }
    if (this.isEnding || this.entries.size >= streams) {
      const message = `This instance takes no more streams; try again in ${RETRY_AFTER_SECONDS} s, or ask for pages.`;
      throw new ApplicationError('service_unavailable', message, RETRY_LATER);
    }
    const entry = { keyId, request, stream: open(), openedAt: this.clock.now().getTime() };
    this.entries.add(entry);
    this.ofKeys.set(keyId, (this.ofKeys.get(keyId) ?? 0) + 1);
    this.sweeping ??= setInterval(() => this.sweep(), SWEEP_MILLISECONDS).unref();
    return () => this.remove(entry);
  }

  beforeApplicationShutdown(): void {
    this.isEnding = true;
    this.endAll();
  }

  private endAll(): void {
    for (const { stream } of [...this.entries]) stream.end();
  }

  /**
   * Ends the oldest stream of a key, so that its client resumes if it is there. A client that vanished without a word would keep its slot
   * for the 15 minutes in which TCP sends again what nobody acknowledges. Returns false if the oldest one is too young.
   */
  private endOldest(keyId: bigint): boolean {
    const oldest = [...this.entries].find((entry) => entry.keyId === keyId);
    if (!oldest || !hasElapsed(oldest.openedAt, YIELDS_AFTER_MILLISECONDS, this.clock.now())) return false;
    oldest.stream.end();
    this.remove(oldest);
    return true;
  }

  private remove(entry: Entry): void {
    if (!this.entries.delete(entry)) return;
    const { keyId } = entry;
    const left = (this.ofKeys.get(keyId) ?? 1) - 1;
    if (left > 0) this.ofKeys.set(keyId, left);
    else this.ofKeys.delete(keyId);
    if (this.entries.size > 0) return;
    clearInterval(this.sweeping);
    this.sweeping = undefined;
  }

  private sweep(): void {
    const now = this.clock.now();
    const standing = new Map<string, boolean | Promise<boolean>>();
    for (const entry of [...this.entries]) {
      const { stream, openedAt, request } = entry;
      if (hasElapsed(openedAt, this.limits.streamLifetime, now)) stream.end();
      else stream.tick?.();
      // Once for all streams of a credential.
      const credential = request.headers.authorization ?? '';
      const stands = standing.get(credential) ?? this.authentication.stillAdmits(request);
      standing.set(credential, stands);
      void Promise.resolve(stands).then((isAdmitted) => isAdmitted || stream.end());
    }
  }
}

/** Whether the time has elapsed since `from`, or the clock was set back before it. */
export function hasElapsed(from: number, milliseconds: number, now: Date): boolean {
  const elapsed = now.getTime() - from;
  return elapsed < 0 || elapsed >= milliseconds;
}

/** The metrics of the feed. */
@Injectable()
export class FeedMetrics {
  constructor(registry: MetricsRegistry, streams: OpenStreams, follower: PublicEventFollower) {
    const openHelp = 'Streams of events, and pages that wait for one, that are open at this instance';
    registry.addGauge('adoption_feed_streams', openHelp, () => [[streams.count]]);
    const sample = new CachedReading(() => follower.lag());
    const lagHelp =
      'Positions of the log that this instance has not handed out to its open streams yet; absent while they cannot be counted';
    registry.addGauge('adoption_feed_lag_positions', lagHelp, async () => [[await sample.get()]]);
  }
}
