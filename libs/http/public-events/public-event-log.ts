import { Injectable } from '@nestjs/common';
import { EventStore, groupByStream, type RecordedEvent } from '#libs/event-sourcing';
import { toPublicEvent, type PublicEvent, type PublicResource } from './public-event.js';
import { PublicEventCatalog } from './public-event-catalog.js';

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
  /** The pages whose read has not begun. */
  private readonly waiting = new Map<string, Promise<PublicEvents>>();

  constructor(
    private readonly store: EventStore,
    private readonly catalog: PublicEventCatalog,
  ) {}

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
    const shown = new Map((await Promise.all(streams.map((stream) => this.shownAfter(stream)))).flat());
    return streams
      .flatMap(({ subject, events: ofStream }) =>
        ofStream.flatMap((event) => {
          const [type, data] = [this.catalog.findStored(event.type), shown.get(event.position)];
          return type && data ? [toPublicEvent(type, this.catalog.source, { event, subject, data })] : [];
        }),
      )
      .sort((left, right) => (left.position < right.position ? -1 : 1));
  }

  /** Returns what REST showed after each of the events, by position. Reads the events between them. */
  private async shownAfter({ resource, id, events }: EventsOfStream): Promise<(readonly [bigint, object])[]> {
    const shown: (readonly [bigint, object])[] = [];
    const { decider } = resource;
    let after = { state: decider.initialState, version: 0 };
    for (const event of events) {
      const { stream, version, position } = event;
      if (after.version < version - 1) after = await this.store.readState(decider, stream, version - 1);
      // Not of a log that has gone back since.
      if (after.version !== version - 1) break;
      after = { state: decider.evolve(after.state, event), version };
      const data = resource.show(id, after);
      if (data) shown.push([position, data]);
    }
    return shown;
  }
}

/** Some events of a stream, ascending by version. */
interface EventsOfStream {
  readonly resource: PublicResource;
  readonly id: bigint;
  readonly events: readonly RecordedEvent[];
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
