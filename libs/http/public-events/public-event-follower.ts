import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Timers } from '#libs/observability';
import { EventStore, LogHistory, PollLoop } from '#libs/event-sourcing';
import type { PublicEvent } from './public-event.js';
import { PublicEventCatalog } from './public-event-catalog.js';
import { matchesFilter, PublicEventLog, type PublicEventFilter, type PublicEvents } from './public-event-log.js';

// Commits of other processes are seen within this time.
const POLL_MILLISECONDS = 250;
const PAGE = 100;

export interface FollowOptions {
  /** Returns which events are followed; may change from page to page. */
  readonly filter: () => PublicEventFilter;
  /** Position after which it begins. Default: the end of the log. */
  readonly after?: bigint | undefined;
}

/**
 * Reads matching events after a position, each once and in order: pages of its own while it is behind the shared reader, then the pages of
 * that. A follower that is not ready for a page reads it later, so a slow one costs no memory.
 */
export class Following {
  private reached: bigint | undefined;
  private hasEnded = false;
  /** Resolves the wait for the next shared page, if there is one. */
  private take: ((page: PublicEvents | undefined) => void) | undefined;

  constructor(
    private readonly follower: PublicEventFollower,
    private readonly options: FollowOptions,
  ) {}

  /** All matching events up to here were returned; undefined before the start. */
  get position(): bigint | undefined {
    return this.reached;
  }

  /** Returns the position after which it begins, where it is by now if it has begun. @throws DatabaseUnavailableError */
  async begin(): Promise<bigint> {
    const end = await this.follower.start();
    return (this.reached ??= this.options.after ?? end);
  }

  /**
   * Resolves with the next page, perhaps without events, as soon as there is one; undefined after the end. `hasMore` says that it is behind.
   * @throws DatabaseUnavailableError
   */
  async next(): Promise<PublicEvents | undefined> {
    const [after, filter] = [await this.begin(), this.options.filter()];
    if (this.hasEnded) return undefined;
    // The shared reader hands out nothing between this look and the wait.
    if (after >= this.follower.position) return new Promise((resolve) => (this.take = resolve));
    const page = await this.follower.log.read({ ...filter, after, limit: PAGE });
    this.reached = page.scannedUpTo;
    return page;
  }

  /** Gives it a page of the shared reader, which it takes only if it waits for one. */
  offer({ events, scannedUpTo }: PublicEvents): void {
    const { take, reached } = this;
    if (!take || reached === undefined) return;
    this.take = undefined;
    const isKnown = (events[0]?.position ?? scannedUpTo) <= reached;
    const news = isKnown ? events.filter(({ position }) => position > reached) : events;
    this.reached = scannedUpTo > reached ? scannedUpTo : reached;
    take({ events: selectShared(news, this.options.filter()), scannedUpTo: this.reached, hasMore: false });
  }

  end(): void {
    this.hasEnded = true;
    this.follower.leave(this);
    this.take?.(undefined);
  }
}

const selections = new WeakMap<readonly PublicEvent[], Map<string, readonly PublicEvent[]>>();

/** Returns the events that match: the same array for the same events and filter. */
function selectShared(events: readonly PublicEvent[], filter: PublicEventFilter): readonly PublicEvent[] {
  const made = selections.get(events) ?? new Map<string, readonly PublicEvent[]>();
  selections.set(events, made);
  const name = JSON.stringify(filter);
  const selected = made.get(name) ?? events.filter((event) => matchesFilter(filter, event));
  made.set(name, selected);
  return selected;
}

/** The one reader of new events in an instance, for all that follow the log. Reads nothing while nobody does. */
@Injectable()
export class PublicEventFollower implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly followings = new Set<Following>();
  /** Everything up to here was handed out; undefined before somebody follows. */
  private reached: bigint | undefined;
  private starting: Promise<bigint> | undefined;
  private readonly loop: PollLoop;

  constructor(
    private readonly store: EventStore,
    readonly log: PublicEventLog,
    timers: Timers,
    history: LogHistory,
  ) {
    const logger = new Logger(PublicEventFollower.name);
    const onFailure = (error: unknown) => logger.warn(`Cannot read new events; retrying: ${String(error)}`);
    this.loop = new PollLoop(() => this.handOut(), POLL_MILLISECONDS, timers, onFailure);
    history.onRewind((newest) => (this.reached &&= newest));
  }

  onApplicationBootstrap(): void {
    this.loop.start();
    this.store.onCommit(() => this.loop.wake());
  }

  beforeApplicationShutdown(): Promise<void> {
    for (const following of this.followings) following.end();
    return this.loop.end();
  }

  /** Everything up to here was handed out; 0 before somebody follows. */
  get position(): bigint {
    return this.reached ?? 0n;
  }

  /** Counts the positions of the log that are not handed out yet, 0 without followers. @throws DatabaseUnavailableError */
  async lag(): Promise<bigint> {
    if (this.reached === undefined || this.followings.size === 0) return 0n;
    const until = await this.store.lastPosition();
    return this.store.countPositions({ after: this.reached, until });
  }

  follow(options: FollowOptions): Following {
    // What it knew when the last one ended is old.
    if (this.followings.size === 0) this.reached = undefined;
    const following = new Following(this, options);
    this.followings.add(following);
    return following;
  }

  leave(following: Following): void {
    this.followings.delete(following);
  }

  /** Returns the position up to which everything was handed out: the end of the log for the first one that follows. */
  async start(): Promise<bigint> {
    if (this.reached !== undefined) return this.reached;
    this.starting ??= this.store.lastPosition().finally(() => (this.starting = undefined));
    const end = await this.starting;
    return (this.reached ??= end);
  }

  private async handOut(): Promise<void> {
    for (let hasMore = true; hasMore && this.reached !== undefined && this.followings.size > 0;) {
      const from = this.reached;
      const page = await this.log.read({ after: from, limit: PAGE });
      // The log may have gone back meanwhile.
      if (page.scannedUpTo === from || this.reached !== from) return;
      this.reached = page.scannedUpTo;
      for (const following of this.followings) following.offer(page);
      ({ hasMore } = page);
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
