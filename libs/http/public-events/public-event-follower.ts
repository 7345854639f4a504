import { type BeforeApplicationShutdown, Injectable, Logger, Module, type DynamicModule } from '@nestjs/common';
import { Timers } from '#libs/observability';
import { EventStore, LogHistory } from '#libs/event-sourcing';
import { PublicEventCatalog } from './public-event-catalog.js';
import { PublicEventLog, type PublicEvents } from './public-event-log.js';

export type NewEvents = Pick<PublicEvents, 'events' | 'scannedUpTo'>;

/** A subscription to new events. */
export interface Following {
  /** Events after this position are handed out to this subscription. */
  readonly position: bigint;
  end(): void;
}

// Commits of other processes are seen within this time.
const POLL_MILLISECONDS = 250;
// Commits within this time are read and handed out together, so that many followers do not cost a turn of the loop for each event.
const GATHER_MILLISECONDS = 10;
const BATCH = 100;

/** The one reader of the log in an instance: hands out new events to all followers, each event once and in order. Without followers it reads nothing. */
@Injectable()
export class PublicEventFollower implements BeforeApplicationShutdown {
  private readonly logger = new Logger(PublicEventFollower.name);
  private readonly takers = new Set<(news: NewEvents) => void>();
  private reached = 0n;
  private starting: Promise<void> | undefined;
  private reading: Promise<void> | undefined;
  private hasCommitted = false;
  private isReachable = true;
  /** Ends the wait for the next read. */
  private waiting = new AbortController();
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly log: PublicEventLog,
    private readonly timers: Timers,
    history: LogHistory,
  ) {
    history.onRewind((newest) => (this.reached = newest));
  }

  /** Everything up to here was handed out. */
  get position(): bigint {
    return this.reached;
  }

  /** Counts the positions of the log that are not handed out yet, 0 without followers. @throws DatabaseUnavailableError */
  async lag(): Promise<bigint> {
    if (this.takers.size === 0) return 0n;
    const until = await this.store.lastPosition();
    return this.store.countPositions({ after: this.reached, until });
  }

  /**
   * Calls `take` with new events. It must neither throw nor wait.
   * @throws DatabaseUnavailableError
   */
  async follow(take: (news: NewEvents) => void): Promise<Following> {
    if (this.takers.size === 0) await (this.starting ??= this.start().finally(() => (this.starting = undefined)));
    this.takers.add(take);
    this.listen();
    return { position: this.reached, end: () => this.leave(take) };
  }

  beforeApplicationShutdown(): Promise<void> | undefined {
    this.takers.clear();
    this.stop();
    return this.reading;
  }

  private async start(): Promise<void> {
    await this.reading;
    this.reached = await this.store.lastPosition();
  }

  private listen(): void {
    if (this.stopListening) return;
    this.hasCommitted = false;
    this.stopListening = this.store.onCommit(() => this.noteCommit());
    void this.schedule(POLL_MILLISECONDS);
  }

  /** Only the first commit since the last read schedules the next one, or many commits would postpone it for ever. */
  private noteCommit(): void {
    if (this.hasCommitted) return;
    this.hasCommitted = true;
    if (this.reading === undefined) void this.schedule(GATHER_MILLISECONDS);
  }

  private leave(take: (news: NewEvents) => void): void {
    this.takers.delete(take);
    if (this.takers.size === 0) this.stop();
  }

  private stop(): void {
    this.stopListening?.();
    this.stopListening = undefined;
    this.waiting.abort();
  }

  private scheduleNext(): void {
    if (this.stopListening) void this.schedule(this.hasCommitted ? GATHER_MILLISECONDS : POLL_MILLISECONDS);
  }

  private async schedule(milliseconds: number): Promise<void> {
    this.waiting.abort();
    this.waiting = new AbortController();
    const { signal } = this.waiting;
    await this.timers.sleep(milliseconds, { signal, ref: false });
    if (!signal.aborted) this.reading = this.readNew();
  }

  private async readNew(): Promise<void> {
    this.hasCommitted = false;
    try {
      await this.handOut();
      this.isReachable = true;
    } catch (error) {
      if (this.isReachable) this.logger.warn(`What happens cannot be read, which is tried again: ${String(error)}`);
      this.isReachable = false;
    }
    this.reading = undefined;
    this.scheduleNext();
  }

  private async handOut(): Promise<void> {
    for (let hasMore = true; hasMore && this.takers.size > 0;) {
      const from = this.reached;
      const news = await this.log.read({ after: from, limit: BATCH });
      // The log may have gone back meanwhile.
      if (news.scannedUpTo === from || this.reached !== from) return;
      this.reached = news.scannedUpTo;
      for (const take of [...this.takers]) take(news);
      ({ hasMore } = news);
    }
  }
}

/** Provides `PublicEventCatalog`, `PublicEventLog` and `PublicEventFollower` to all modules. Needs `EventStore`. */
@Module({})
export class PublicEventsModule {
  static forRoot(catalog: PublicEventCatalog): DynamicModule {
    return {
      module: PublicEventsModule,
      global: true,
      providers: [{ provide: PublicEventCatalog, useValue: catalog }, PublicEventLog, PublicEventFollower],
      exports: [PublicEventCatalog, PublicEventLog, PublicEventFollower],
    };
  }
}
