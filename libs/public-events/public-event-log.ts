import { Injectable } from '@nestjs/common';
import { byStream, EventStore, type RecordedEvent } from '#libs/event-store';
import { publicEvent, type PublicEvent } from './cloud-event.js';
import { PublicEventCatalog } from './public-event-catalog.js';

/** Which events are meant: those that are of one of the types and of the subject, where these are given. */
export interface PublicEventFilter {
  /** Such as `pet.added`. */
  readonly types?: readonly string[];
  /** Such as `pets/7`. */
  readonly subject?: string;
}

/** Whether an event is one of those that are meant. */
export function isMeant({ types, subject }: PublicEventFilter, event: Pick<PublicEvent, 'type' | 'subject'>): boolean {
  return (types === undefined || types.includes(event.type)) && (subject === undefined || event.subject === subject);
}

export interface PublicEventRange extends PublicEventFilter {
  /** Only events behind this position; 0 is the beginning. */
  readonly after: bigint;
  readonly limit: number;
}

export interface PublicEvents {
  /** Ascending by position. */
  readonly events: readonly PublicEvent[];
  /** Whether there may be further ones. */
  readonly hasMore: boolean;
  /** Up to this position there is no other event that is meant. */
  readonly passed: bigint;
}

/** The log as others may see it: the events that are published, each with what REST showed just after it. */
@Injectable()
export class PublicEventLog {
  constructor(
    private readonly store: EventStore,
    private readonly catalog: PublicEventCatalog,
  ) {}

  /**
   * The next events that are meant. One that a newer build has written, in a form unknown to this one, is passed over.
   * @throws DatabaseUnavailableError
   */
  async read({ after, limit, types, subject }: PublicEventRange): Promise<PublicEvents> {
    const end = await this.store.lastPosition();
    const stream = subject === undefined ? undefined : this.catalog.streamOf(subject);
    const found =
      subject !== undefined && stream === undefined
        ? []
        : await this.store.readAll({ after, limit, types: this.storedTypes(types), ...(stream !== undefined && { stream }) });
    const hasMore = found.length === limit;
    const reached = found.at(-1)?.position ?? after;
    return { events: await this.published(found), hasMore, passed: hasMore || end < reached ? reached : end };
  }

  /** How many events are meant behind one position and up to another. */
  count({ types, after, until }: Pick<PublicEventRange, 'types' | 'after'> & { readonly until: bigint }): Promise<bigint> {
    return this.store.count({ types: this.storedTypes(types), after, until });
  }

  /** One event; undefined for what is not published. */
  async find(position: bigint): Promise<PublicEvent | undefined> {
    const { events } = await this.read({ after: position - 1n, limit: 1 });
    return events.find((event) => event.position === position);
  }

  private storedTypes(types: readonly string[] | undefined): string[] {
    const wanted = types ? types.flatMap((name) => this.catalog.find(name) ?? []) : this.catalog.types;
    return wanted.map(({ stored }) => stored);
  }

  private async published(events: readonly RecordedEvent[]): Promise<PublicEvent[]> {
    const histories = await this.historiesOf(events);
    return [...byStream(events)]
      .flatMap(([stream, ofStream]) => this.publishedOf(stream, ofStream, histories.get(stream) ?? ofStream))
      .sort((left, right) => (left.position < right.position ? -1 : 1));
  }

  /** All events of the streams of which the first one alone does not say enough. */
  private async historiesOf(events: readonly RecordedEvent[]): Promise<ReadonlyMap<string, readonly RecordedEvent[]>> {
    const streams = new Set(events.filter(({ version }) => version > 1).map(({ stream }) => stream));
    return byStream(await this.store.readStreams([...streams]));
  }

  private publishedOf(stream: string, events: readonly RecordedEvent[], history: readonly RecordedEvent[]): PublicEvent[] {
    const about = this.catalog.subjectOf(stream);
    if (!about) return [];
    const { subject, id } = about;
    const resource = this.catalog.findStored(events[0]?.type ?? '')?.resource;
    const shown = new Map(resource?.shownAfterEach(id, history).map((data, index) => [history[index]?.position, data]));
    return events.flatMap((event) => {
      const [type, data] = [this.catalog.findStored(event.type), shown.get(event.position)];
      return type && data ? [publicEvent(type, this.catalog.source, { event, subject, data })] : [];
    });
  }
}
