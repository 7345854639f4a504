import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EventStore, groupByStream, type RecordedEvent } from '#libs/event-sourcing';
import { toPublicEvent, type PublicEvent, type PublicResource } from './public-event.js';
import { PublicEventCatalog } from './public-event-catalog.js';

// A page reads at most so many events of a stream besides its own, however long the stream is.
const CACHE_EVERY = 100;
const MAX_CACHED_STATES = 500;
// Reading and folding so many takes a few milliseconds.
const MAX_EVENTS_AT_ONCE = 500;

/** Matches events of one of the types and of the subject, if given. */
export interface PublicEventFilter {
  /** Such as `pet.added`. */
  readonly types?: readonly string[];
  /** Such as `pets/7`. */
  readonly subject?: string;
}

export function matchesFilter({ types, subject }: PublicEventFilter, event: Pick<PublicEvent, 'type' | 'subject'>): boolean {
  return (types === undefined || types.includes(event.type)) && (subject === undefined || event.subject === subject);
}

export interface PublicEventRange extends PublicEventFilter {
  /** Only events after this position; 0: from the start. */
  readonly after: bigint;
  /** Only events up to this position. Default: to the end. */
  readonly until?: bigint | undefined;
  readonly limit: number;
}

export interface PublicEvents {
  /** Ascending by position. */
  readonly events: readonly PublicEvent[];
  /** Whether there may be more. */
  readonly hasMore: boolean;
  /** Up to this position there is no other matching event. */
  readonly scannedUpTo: bigint;
}

/**
 * The published events of the log, each with what REST showed after it. However many readers there are, one page is read in each turn of
 * the event loop.
 */
@Injectable()
export class PublicEventLog {
  private readonly states: PublishedStates;
  /** The pages whose read has not begun. */
  private readonly waiting = new Map<string, Promise<PublicEvents>>();

  constructor(
    private readonly store: EventStore,
    private readonly catalog: PublicEventCatalog,
  ) {
    this.states = new PublishedStates(store);
  }

  /**
   * Returns the next matching events, without those of a newer build in an unknown form. Callers that wait for the same page share one
   * read.
   * @throws DatabaseUnavailableError
   */
  read(range: PublicEventRange): Promise<PublicEvents> {
    const { after, until, limit, types, subject } = range;
    const name = JSON.stringify([after.toString(), until?.toString(), limit, types, subject]);
    const waiting = this.waiting.get(name);
    if (waiting) return waiting;
    const page = backgroundTurn().then(() => {
      this.waiting.delete(name);
      return this.readPage(range);
    });
    this.waiting.set(name, page);
    return page;
  }

  private async readPage({ after, until, limit, types, subject }: PublicEventRange): Promise<PublicEvents> {
    const end = await this.store.lastPosition();
    const stream = subject === undefined ? undefined : this.catalog.toStream(subject);
    const found =
      subject !== undefined && stream === undefined
        ? []
        : await this.store.readAll({
            after,
            until,
            limit,
            types: this.storedTypes(types),
            ...(stream !== undefined && { streams: [stream] }),
          });
    const hasMore = found.length === limit;
    const reached = found.at(-1)?.position ?? after;
    return { events: await this.published(found), hasMore, scannedUpTo: hasMore || end < reached ? reached : end };
  }

  /** Counts the matching events after one position and up to another. */
  count({ types, after, until }: Pick<PublicEventRange, 'types' | 'after'> & { readonly until: bigint }): Promise<bigint> {
    return this.store.count({ types: this.storedTypes(types), after, until });
  }

  /** Returns one event; undefined if it is not published. */
  async find(position: bigint): Promise<PublicEvent | undefined> {
    const { events } = await this.read({ after: position - 1n, limit: 1 });
    return events.find((event) => event.position === position);
  }

  private storedTypes(types: readonly string[] | undefined): string[] {
    const wanted = types ? types.flatMap((name) => this.catalog.find(name) ?? []) : this.catalog.types;
    return wanted.map(({ stored }) => stored);
  }

  private async published(events: readonly RecordedEvent[]): Promise<PublicEvent[]> {
    const streams = [...groupByStream(events)].flatMap(([stream, ofStream]) => {
      const about = this.catalog.toSubject(stream);
      const resource = this.catalog.findStored(ofStream[0]?.type ?? '')?.resource;
      return about && resource ? [{ ...about, resource, events: ofStream }] : [];
    });
    const shown = await this.states.shownAfter(streams);
    return streams
      .flatMap(({ subject, events: ofStream }) =>
        ofStream.flatMap((event) => {
          const [type, data] = [this.catalog.findStored(event.type), shown.get(event.position)];
          return type && data ? [toPublicEvent(type, this.catalog.source, { event, subject, data })] : [];
        }),
      )
      .sort((left, right) => (left.position < right.position ? -1 : 1));
  }
}

/** Some events of a stream, ascending by version. */
interface EventsOfStream {
  readonly resource: PublicResource;
  readonly id: bigint;
  readonly events: readonly RecordedEvent[];
}

/** The state of a stream after an event; the event's id tells whether it is still in the log. */
interface CachedState {
  readonly eventId: string;
  readonly state: unknown;
}

/** A stream whose events are being folded. */
interface Fold extends EventsOfStream {
  readonly stream: string;
  /** The last event to fold. */
  readonly last: number;
  /** The events so far, in `state`. */
  version: number;
  state: unknown;
  /** The state after the next event, if it was cached. */
  cached: CachedState | undefined;
}

/**
 * Finds what REST showed after events. Of long streams it caches the state after every hundredth event, at most 500 in all, so that a page
 * of the log does not fold each stream from its first event.
 */
class PublishedStates {
  /** By stream and version. */
  private readonly cache = new LRUCache<string, CachedState>({ max: MAX_CACHED_STATES });

  constructor(private readonly store: EventStore) {}

  /** Returns what was shown after each of the events, by position. */
  async shownAfter(streams: readonly EventsOfStream[]): Promise<ReadonlyMap<bigint, object>> {
    const shown = new Map<bigint, object>();
    const folds = streams.map((stream) => this.startFold(stream));
    // A stream that is known from its first event is not read again.
    for (const fold of folds) if (fold.last === fold.events.length) this.advance(fold, fold.last, fold.events, shown);
    let open = folds.filter(isIncomplete);
    while (open.length > 0) {
      const size = Math.ceil(MAX_EVENTS_AT_ONCE / open.length);
      const parts = open.map(({ stream, version, last }) => ({ stream, after: version, until: Math.min(version + size, last) }));
      const read = groupByStream(await this.store.readParts(parts));
      for (const [index, fold] of open.entries()) {
        const isInLog = this.advance(fold, parts[index]?.until ?? fold.last, read.get(fold.stream) ?? [], shown);
        if (isInLog) continue;
        this.cache.clear();
        return this.shownAfter(streams);
      }
      open = open.filter(isIncomplete);
      if (open.length > 0) await backgroundTurn();
    }
    return shown;
  }

  private startFold(published: EventsOfStream): Fold {
    const { events, resource } = published;
    const { stream = '', version: first = 1 } = events[0] ?? {};
    const last = events.at(-1)?.version ?? 0;
    let version = first - 1 - ((first - 1) % CACHE_EVERY);
    while (version > 0 && !this.cache.has(cacheKey(stream, version))) version -= CACHE_EVERY;
    const cached = this.cache.get(cacheKey(stream, version));
    return { ...published, stream, last, version: Math.max(0, version - 1), state: resource.decider.initialState, cached };
  }

  /** @returns false if the event after which the state was cached is not in the log any more */
  private advance(fold: Fold, until: number, events: readonly RecordedEvent[], shown: Map<bigint, object>): boolean {
    const { id, resource, cached } = fold;
    if (cached && events[0]?.eventId !== cached.eventId) return false;
    if (cached) fold.state = cached.state;
    for (const event of cached ? events.slice(1) : events) {
      const { eventId, stream, version, position } = event;
      fold.state = resource.decider.evolve(fold.state, event);
      const data = resource.show(id, { state: fold.state, version });
      if (data) shown.set(position, data);
      if (version % CACHE_EVERY === 0) this.cache.set(cacheKey(stream, version), { eventId, state: fold.state });
    }
    fold.cached = undefined;
    fold.version = until;
    return true;
  }
}

function isIncomplete({ version, last }: Fold): boolean {
  return version < last;
}

function cacheKey(stream: string, version: number): string {
  return `${stream}@${version}`;
}

const waiting: (() => void)[] = [];

/**
 * Resolves for one caller in each turn of the event loop, in the order of the calls. Await it before each piece of background work, such as
 * a page of a long log, so that requests are served between two pieces.
 */
export function backgroundTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resolveNext);
  });
}

function resolveNext(): void {
  waiting.shift()?.();
  // A callback that is set now runs in the next turn.
  if (waiting.length > 0) setImmediate(resolveNext);
}
