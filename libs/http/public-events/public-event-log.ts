import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EventStore, groupByStream, type RecordedEvent, type StreamPart } from '#libs/event-sourcing';
import { toPublicEvent, type PublicEvent, type PublicResource, type ShownState } from './public-event.js';
import { PublicEventCatalog } from './public-event-catalog.js';

// A page reads at most so many events of a stream besides its own, however long the stream is.
const KEEP_EVERY = 100;
const MOST_KEPT = 500;
// Reading and folding so many takes a few milliseconds.
const MOST_EVENTS_AT_ONCE = 500;
const MOST_PARTS_AT_ONCE = 100;

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
    const { after, limit, types, subject } = range;
    const name = JSON.stringify([after.toString(), limit, types, subject]);
    const waiting = this.waiting.get(name);
    if (waiting) return waiting;
    const page = backgroundTurn().then(() => {
      this.waiting.delete(name);
      return this.readPage(range);
    });
    this.waiting.set(name, page);
    return page;
  }

  private async readPage({ after, limit, types, subject }: PublicEventRange): Promise<PublicEvents> {
    const end = await this.store.lastPosition();
    const stream = subject === undefined ? undefined : this.catalog.toStream(subject);
    const found =
      subject !== undefined && stream === undefined
        ? []
        : await this.store.readAll({ after, limit, types: this.storedTypes(types), ...(stream !== undefined && { stream }) });
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
interface KeptState {
  readonly eventId: string;
  readonly state: ShownState;
}

interface Fold extends EventsOfStream {
  readonly parts: readonly StreamPart[];
  /** The state after the first event of the parts; undefined if they begin with the first event of the stream. */
  readonly kept: KeptState | undefined;
  state?: ShownState | undefined;
}

/**
 * Finds what REST showed after events. Of long streams it caches the state after every hundredth event, at most 500 in all, so that a page
 * of the log does not fold each stream from its first event.
 */
class PublishedStates {
  /** By stream and version. */
  private readonly kept = new LRUCache<string, KeptState>({ max: MOST_KEPT });

  constructor(private readonly store: EventStore) {}

  /** Returns what was shown after each of the events, by position. */
  async shownAfter(streams: readonly EventsOfStream[]): Promise<ReadonlyMap<bigint, object>> {
    const shown = new Map<bigint, object>();
    const folds = new Map(streams.map((stream) => [stream.events[0]?.stream ?? '', this.startFold(stream)]));
    // A stream that is known from its first event is not read again.
    for (const fold of folds.values()) if (fold.parts.length === 0) this.advance(fold, fold.events, shown);
    for (const [index, parts] of inGroups([...folds.values()].flatMap((fold) => fold.parts)).entries()) {
      if (index > 0) await backgroundTurn();
      for (const [stream, events] of groupByStream(await this.store.readParts(parts))) {
        const fold = folds.get(stream);
        if (!fold || this.advance(fold, events, shown)) continue;
        this.kept.clear();
        return this.shownAfter(streams);
      }
    }
    return shown;
  }

  private startFold(stream: EventsOfStream): Fold {
    const { events } = stream;
    const [first, last] = [events[0], events.at(-1)];
    if (!first || !last || last.version === events.length) return { ...stream, parts: [], kept: undefined };
    let version = first.version - 1 - ((first.version - 1) % KEEP_EVERY);
    while (version > 0 && !this.kept.has(cacheKey(first.stream, version))) version -= KEEP_EVERY;
    const parts: StreamPart[] = [];
    for (let after = Math.max(0, version - 1); after < last.version; after += MOST_EVENTS_AT_ONCE) {
      parts.push({ stream: first.stream, after, until: Math.min(after + MOST_EVENTS_AT_ONCE, last.version) });
    }
    return { ...stream, parts, kept: this.kept.get(cacheKey(first.stream, version)) };
  }

  /** @returns false if the event after which the state was cached is not in the log any more */
  private advance(fold: Fold, events: readonly RecordedEvent[], shown: Map<bigint, object>): boolean {
    const resumes = fold.state === undefined && fold.kept !== undefined;
    if (resumes && events[0]?.eventId !== fold.kept.eventId) return false;
    const further = resumes ? events.slice(1) : events;
    const states = fold.resource.shownAfterEach(fold.id, further, fold.state ?? fold.kept?.state);
    for (const [index, event] of further.entries()) {
      const state = states[index];
      if (!state) continue;
      if (state.data) shown.set(event.position, state.data);
      if (event.version % KEEP_EVERY === 0) this.kept.set(cacheKey(event.stream, event.version), { eventId: event.eventId, state });
    }
    fold.state = states.at(-1) ?? fold.kept?.state;
    return true;
  }
}

function cacheKey(stream: string, version: number): string {
  return `${stream}@${version}`;
}

/** In the order given, each group small enough to be read at once. */
function inGroups(parts: readonly StreamPart[]): StreamPart[][] {
  const groups: StreamPart[][] = [];
  let events = Infinity;
  for (const part of parts) {
    const size = part.until - part.after;
    const group = groups.at(-1);
    if (group && events + size <= MOST_EVENTS_AT_ONCE && group.length < MOST_PARTS_AT_ONCE) group.push(part);
    else groups.push([part]);
    events = group === groups.at(-1) ? events + size : size;
  }
  return groups;
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
