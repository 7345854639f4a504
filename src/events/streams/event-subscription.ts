import { setTimeout as delay } from 'node:timers/promises';
import {
  matchesFilter,
  type PublicEvent,
  type PublicEventFilter,
  type Following,
  type NewEvents,
  type PublicEventFollower,
  type PublicEventLog,
} from '#libs/public-events';

/** Events as they are written to streams. */
export interface Selection {
  /** As server-sent events (HTML, section 9.2), each with its position as id. */
  readonly text: Buffer;
  /** The position of the last one. */
  readonly last: bigint;
}

/** The selection of all of these; undefined of none. */
function toSelection(events: readonly PublicEvent[]): Selection | undefined {
  const last = events.at(-1)?.position;
  if (last === undefined) return undefined;
  return { text: Buffer.from(events.map(({ position, json }) => `id: ${position}\ndata: ${json}\n\n`).join('')), last };
}

const shared = new WeakMap<readonly PublicEvent[], Map<string, Selection | undefined>>();

/** What of events a filter means: made once for all streams with such a filter that are given the same array. */
function getSharedSelection(events: readonly PublicEvent[], filter: PublicEventFilter): Selection | undefined {
  const made = shared.get(events) ?? new Map<string, Selection | undefined>();
  shared.set(events, made);
  const name = JSON.stringify(filter);
  if (!made.has(name)) made.set(name, toSelection(events.filter((event) => matchesFilter(filter, event))));
  return made.get(name);
}

const PAGE = 100;
const TRY_AGAIN_MILLISECONDS = 250;

/** Who is given the events that are meant, each once and in order. */
interface Subscriber {
  readonly isOpen: boolean;
  take(selection: Selection): void;
  /** Resolves when it has taken what it was given; never where it is given more than it can take. */
  drained(): Promise<void>;
}

interface SubscriptionOptions {
  readonly log: PublicEventLog;
  readonly follower: PublicEventFollower;
  readonly filter: PublicEventFilter;
  /** Behind which position it begins; undefined for the end of the log. */
  readonly after: bigint | undefined;
}

/**
 * Goes through the log from a position on: by pages of its own until it has caught up with the one reader of the log, and then with that.
 * Its subscriber is given more pages only when it has taken those before, so that a slow one costs no memory until it has caught up.
 */
export class EventSubscription {
  private following: Following | undefined;
  private scannedUpTo: bigint | undefined;
  private isLive = false;

  constructor(
    private readonly options: SubscriptionOptions,
    private readonly subscriber: Subscriber,
  ) {}

  /** Up to here everything that is meant was given to the subscriber; undefined until it has begun. */
  get position(): bigint | undefined {
    return this.scannedUpTo;
  }

  /**
   * Resolves when it has caught up, or the subscriber is gone; what happens later follows by itself until `end`. Never rejects: while the
   * database cannot be asked, the subscriber waits.
   * @param begun told of the position where it begins
   */
  async run(begun: (position: bigint) => void): Promise<void> {
    while (this.subscriber.isOpen && !this.isLive) {
      try {
        await this.begin(begun);
        await this.catchUp();
      } catch {
        await delay(TRY_AGAIN_MILLISECONDS);
      }
    }
    if (!this.subscriber.isOpen) this.end();
  }

  end(): void {
    this.following?.end();
    this.following = undefined;
  }

  private async begin(begun: (position: bigint) => void): Promise<void> {
    this.following ??= await this.options.follower.follow((news) => this.takeNews(news));
    if (this.scannedUpTo !== undefined) return;
    this.scannedUpTo = this.options.after ?? this.following.position;
    begun(this.scannedUpTo);
  }

  private async catchUp(): Promise<void> {
    const { log, follower, filter } = this.options;
    while (this.subscriber.isOpen && this.scannedUpTo !== undefined && this.scannedUpTo < follower.position) {
      const { events, scannedUpTo } = await log.read({ ...filter, after: this.scannedUpTo, limit: PAGE });
      this.give(getSharedSelection(events, filter), scannedUpTo);
      await this.subscriber.drained();
    }
    // Nothing is handed out between the last look at where the reader is and this.
    this.isLive = true;
  }

  private takeNews({ events, scannedUpTo }: NewEvents): void {
    if (!this.isLive || this.scannedUpTo === undefined) return;
    const { scannedUpTo: known } = this;
    const isKnown = (events[0]?.position ?? scannedUpTo) <= known;
    const news = isKnown ? events.filter(({ position }) => position > known) : events;
    this.give(getSharedSelection(news, this.options.filter), scannedUpTo > known ? scannedUpTo : known);
  }

  private give(selection: Selection | undefined, scannedUpTo: bigint): void {
    if (selection && this.subscriber.isOpen) this.subscriber.take(selection);
    this.scannedUpTo = scannedUpTo;
  }
}
