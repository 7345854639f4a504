import { systemTimers } from '#libs/observability';
import {
  matchesFilter,
  type PublicEvent,
  type PublicEventFilter,
  type Following,
  type NewEvents,
  type PublicEventFollower,
  type PublicEventLog,
} from '#libs/http';
import type { EventStream, Selection } from './event-stream.js';

function toSelection(events: readonly PublicEvent[]): Selection | undefined {
  const last = events.at(-1)?.position;
  if (last === undefined) return undefined;
  return { text: Buffer.from(events.map(({ position, json }) => `id: ${position}\ndata: ${json}\n\n`).join('')), last };
}

const shared = new WeakMap<readonly PublicEvent[], Map<string, Selection | undefined>>();

/** Returns the events that match, rendered once for all streams with the same filter and array. */
function getSharedSelection(events: readonly PublicEvent[], filter: PublicEventFilter): Selection | undefined {
  const made = shared.get(events) ?? new Map<string, Selection | undefined>();
  shared.set(events, made);
  const name = JSON.stringify(filter);
  if (!made.has(name)) made.set(name, toSelection(events.filter((event) => matchesFilter(filter, event))));
  return made.get(name);
}

const PAGE = 100;
const TRY_AGAIN_MILLISECONDS = 250;

interface SubscriptionOptions {
  readonly log: PublicEventLog;
  readonly follower: PublicEventFollower;
  readonly filter: PublicEventFilter;
  /** Position after which it begins; undefined for the end of the log. */
  readonly after: bigint | undefined;
}

/**
 * Gives a stream the matching events behind a position, each once and in order: from pages of its own until it has caught up with the
 * shared reader, then from that. While it catches up, the next page is read only after the stream has drained, so a slow one costs no memory.
 */
export class EventSubscription {
  private following: Following | undefined;
  private scannedUpTo: bigint | undefined;
  private isLive = false;

  constructor(
    private readonly options: SubscriptionOptions,
    private readonly stream: EventStream,
  ) {}

  /** The stream has all matching events up to here; undefined before the start. */
  get position(): bigint | undefined {
    return this.scannedUpTo;
  }

  /**
   * Resolves when it has caught up or the stream is closed; later events follow until `end`. Never rejects: while the database is
   * unavailable, the stream waits.
   * @param begun called with the position where it begins
   */
  async run(begun: (position: bigint) => void): Promise<void> {
    while (this.stream.isOpen && !this.isLive) {
      try {
        await this.begin(begun);
        await this.catchUp();
      } catch {
        await systemTimers.sleep(TRY_AGAIN_MILLISECONDS);
      }
    }
    if (!this.stream.isOpen) this.end();
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
    while (this.stream.isOpen && this.scannedUpTo !== undefined && this.scannedUpTo < follower.position) {
      const { events, scannedUpTo } = await log.read({ ...filter, after: this.scannedUpTo, limit: PAGE });
      this.give(getSharedSelection(events, filter), scannedUpTo);
      await this.stream.drained();
    }
    // The shared reader hands out nothing between the last check and this line.
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
    if (selection && this.stream.isOpen) this.stream.send(selection);
    this.scannedUpTo = scannedUpTo;
  }
}
