import { Injectable } from '@nestjs/common';
import { backgroundTurn } from './background-turn.js';
import { groupByStream, EventStore, type RecordedEvent } from '#libs/event-sourcing';
import { toPublicEvent, type PublicEvent } from './public-event.js';
import { PublicEventCatalog } from './public-event-catalog.js';
import { PublishedStates } from './published-states.js';

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
    const stream = subject === undefined ? undefined : this.catalog.streamOf(subject);
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
      const about = this.catalog.subjectOf(stream);
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
