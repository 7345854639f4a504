import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { raw, sql, type Database, type SqlFragment } from '#libs/database';
import type { DomainEvent, EventRegistry, Evolution, StreamState } from './event.js';
import { eventsTable, streamTable } from './read-events.js';

/** The state of a stream after its first `version` events. */
interface FoldedState<State> extends StreamState<State> {
  /** The id of the event at this version, which tells the history that the state belongs to; null at version 0. */
  readonly eventId: string | null;
}

/** A stream, and after how many of its events its state is wanted. */
interface WantedState {
  readonly stream: string;
  readonly until: number;
}

/** The events of a stream after a version, and the ids at both ends. */
interface PageRow {
  readonly stream: string;
  readonly first_id: string | null;
  /** The members of a JSON array: id, type, schema version and data of each event. Null if there is none. */
  readonly events: string | null;
}

// Folding so many events takes a millisecond or two, in which nothing else runs.
const PAGE_EVENTS = 1_000;
// Folding fewer is cheap, and nearly all streams are shorter.
const MIN_CACHED_EVENTS = 20;
// Of a state in the past, so many are folded again at most.
const CACHED_EVERY = 100;
const MAX_CACHED_STATES = 1_000;
const MEMBERS_OF_AN_EVENT = 4;

/**
 * The states to which one decider folds streams. States of long streams are cached, and brought up to date by the events after them, also
 * those of other processes. A state whose last event is not in the log is dropped: the log was restored to an earlier moment.
 */
export class StreamStates<State> {
  private readonly cache = new LRUCache<string, FoldedState<State>>({ max: MAX_CACHED_STATES });
  /** Keeps nothing for a later turn of the event loop: a state holds all events appended before it is asked for. */
  private readonly pages = new DataLoader<WantedState, FoldedState<State> | undefined>((wanted) => this.readPages(wanted), {
    cache: false,
    batchScheduleFn: setImmediate,
  });
  private readonly empty: FoldedState<State>;

  constructor(
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly decider: Evolution<State, DomainEvent>,
  ) {
    this.empty = { state: decider.initialState, version: 0, eventId: null };
  }

  /** Returns the state after the first `until` events, or all if there are fewer. */
  async load(stream: string, until = Number.POSITIVE_INFINITY): Promise<StreamState<State>> {
    for (;;) {
      const complete = await this.pages.load({ stream, until });
      if (complete) return complete;
    }
  }

  /** Reads and folds one page of each stream, with one statement for all of them. Returns the states that are complete. */
  private async readPages(wanted: readonly WantedState[]): Promise<(FoldedState<State> | undefined)[]> {
    // Of a stream that is wanted at several versions, the others follow in the next turn.
    const versions = new Map(wanted.map(({ stream, until }) => [stream, until]));
    const known = new Map([...versions].map(([stream, until]) => [stream, this.findCached(stream, until)]));
    const rows = await this.database.reader.query<PageRow>(this.selectPages(known));
    const pages = new Map(
      rows.map((row) => [row.stream, this.fold(row, known.get(row.stream) ?? this.empty, versions.get(row.stream) ?? 0)]),
    );
    return wanted.map(({ stream, until }) => (versions.get(stream) === until ? pages.get(stream) : undefined));
  }

  private findCached(stream: string, until: number): FoldedState<State> {
    if (until === Number.POSITIVE_INFINITY) return this.cache.get(stream) ?? this.empty;
    for (let place = Math.floor(until / CACHED_EVERY); place >= 0; place -= 1) {
      const cached = this.cache.get(placeOf(stream, place));
      if (cached && cached.version <= until) return cached;
    }
    return this.empty;
  }

  /**
   * Reads each page as one text, since a row for each event took three times as long. The inner statements of a row use the index of
   * streams, whatever the planner of PostgreSQL expects.
   */
  private selectPages(known: ReadonlyMap<string, { readonly version: number }>): SqlFragment {
    const versions = new Map([...known].map(([stream, { version }]) => [stream, version]));
    const after = raw('CAST("wanted"."value" AS bigint)');
    const ofStream = sql`FROM ${eventsTable} WHERE "stream_id" = "wanted"."key" AND "stream_version"`;
    return sql`SELECT "wanted"."key" AS "stream",
        (SELECT "event_id" ${ofStream} = ${after}) AS "first_id",
        (SELECT string_agg('"' || "event_id" || '","' || "type" || '",' || "schema_version" || ',' || "data", ',') FROM (
          SELECT "event_id", "type", "schema_version", "data" ${ofStream} > ${after} ORDER BY "stream_version" LIMIT ${raw(String(PAGE_EVENTS))}
        ) AS "page") AS "events"
      FROM ${streamTable(this.database.reader, versions)} AS "wanted"`;
  }

  /** Returns undefined if the state is not complete. */
  private fold({ stream, first_id: firstId, events }: PageRow, before: FoldedState<State>, until: number): FoldedState<State> | undefined {
    if (firstId !== before.eventId) {
      this.cache.clear();
      return undefined;
    }
    const folded = events === null ? before : this.evolve(before, events, until);
    if (folded.version >= MIN_CACHED_EVENTS) {
      const isNewest = until === Number.POSITIVE_INFINITY;
      this.cache.set(isNewest ? stream : placeOf(stream, Math.floor(folded.version / CACHED_EVERY)), folded);
    }
    return folded.version < Math.min(before.version + PAGE_EVENTS, until) || folded.version === until ? folded : undefined;
  }

  private evolve(before: FoldedState<State>, events: string, until: number): FoldedState<State> {
    const members = JSON.parse(`[${events}]`) as unknown[];
    let { state, version, eventId } = before;
    for (let index = 0; index < members.length && version < until; index += MEMBERS_OF_AN_EVENT) {
      const [id, type, schemaVersion, data] = members.slice(index, index + MEMBERS_OF_AN_EVENT) as [string, string, number, object];
      state = this.decider.evolve(state, { type, data: this.registry.upcast(type, schemaVersion, data).data });
      version += 1;
      eventId = id;
    }
    return { state, version, eventId };
  }
}

function placeOf(stream: string, place: number): string {
  return `${stream}@${place}`;
}
