import { LRUCache } from 'lru-cache';
import { backgroundTurn } from './background-turn.js';
import { groupByStream, type EventStore, type RecordedEvent, type StreamPart } from '#libs/event-sourcing';
import type { PublicResource, ShownState } from './public-event.js';

// A page reads at most so many events of a stream besides its own, however long the stream is.
const KEEP_EVERY = 100;
const MOST_KEPT = 500;
// Reading and folding so many takes a few milliseconds.
const MOST_EVENTS_AT_ONCE = 500;
const MOST_PARTS_AT_ONCE = 100;

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
export class PublishedStates {
  /** By stream and version. */
  private readonly kept = new LRUCache<string, KeptState>({ max: MOST_KEPT });

  constructor(private readonly store: Pick<EventStore, 'readParts'>) {}

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
