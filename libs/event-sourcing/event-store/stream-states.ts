import { deserialize, serialize } from 'node:v8';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { insertRows, isOneOf, raw, sql, type Database, type SqlFragment } from '#libs/database';
import type { DomainEvent, EventRegistry, Evolution, StreamState } from './event.js';
import { eventsTable, streamTable } from './read-events.js';

/** The state of a stream after its first `version` events. */
interface FoldedState<State> extends StreamState<State> {
  /** The id of the event at this version, which tells the history that the state belongs to; null at version 0. */
  readonly eventId: string | null;
  /** The version of the newest stored state, as far as this process knows. */
  readonly storedVersion: number;
}

interface FoldedPage<State> {
  readonly folded: FoldedState<State>;
  readonly isComplete: boolean;
}

/** The events of a stream after a version, and the ids at both ends. */
interface PageRow {
  readonly stream: string;
  readonly first_id: string | null;
  readonly last_version: bigint | string | null;
  readonly last_id: string | null;
  /** The members of a JSON array: type, schema version and data of each event. Null if there is none. */
  readonly events: string | null;
}

interface StoredState {
  readonly stream_id: string;
  readonly version: bigint | string;
  readonly event_id: string;
  readonly state: string;
}

// Folding so many events takes a millisecond or two, in which nothing else runs.
const PAGE_EVENTS = 1_000;
// Folding fewer is cheap, and nearly all streams are shorter.
const MIN_CACHED_EVENTS = 20;
const MAX_CACHED_STATES = 1_000;
const MAX_CACHED_CHARACTERS = 16_000_000;
const STORED_EVERY = 1_000;
const MEMBERS_OF_AN_EVENT = 3;

const table = raw('"stream_states"');

/**
 * The states to which one decider folds streams. States of long streams are cached, brought up to date by the events after them, also
 * those of other processes, and stored every 1,000 events for the next process. A state whose last event is not in the log is dropped:
 * the log was restored to an earlier moment.
 */
export class StreamStates<State> {
  private readonly cache = new LRUCache<string, FoldedState<State>>({
    max: MAX_CACHED_STATES,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ state }, stream) => stream.length + estimateSize(state),
  });
  /** Keeps nothing for a later turn of the event loop: a state holds all events appended before it is asked for. */
  private readonly pages = new DataLoader<string, FoldedPage<State>>((streams) => this.readPages(streams), {
    cache: false,
    batchScheduleFn: setImmediate,
  });
  private readonly empty: FoldedState<State>;

  constructor(
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly decider: Evolution<State, DomainEvent>,
  ) {
    this.empty = { state: decider.initialState, version: 0, eventId: null, storedVersion: 0 };
  }

  async load(stream: string): Promise<StreamState<State>> {
    for (;;) {
      const { folded, isComplete } = await this.pages.load(stream);
      if (isComplete) return folded;
    }
  }

  /** Reads and folds one page of each stream, with one statement for all of them. */
  private async readPages(streams: readonly string[]): Promise<FoldedPage<State>[]> {
    const known = new Map(streams.map((stream) => [stream, this.cache.get(stream) ?? this.empty]));
    const rows = await this.database.reader.query<PageRow>(this.selectPages(known));
    const pages = new Map(rows.map((row) => [row.stream, this.fold(row, known.get(row.stream) ?? this.empty)]));
    const long = [...pages].filter(([stream, { isComplete }]) => known.get(stream) === this.empty && !isComplete);
    await this.cacheStored(long.map(([stream]) => stream));
    return streams.map((stream) => pages.get(stream) ?? { folded: this.empty, isComplete: false });
  }

  /**
   * Reads each page as one text, since a row for each event took three times as long. The inner statements of a row use the index of
   * streams, whatever the planner of PostgreSQL expects.
   */
  private selectPages(known: ReadonlyMap<string, { readonly version: number }>): SqlFragment {
    const versions = new Map([...known].map(([stream, { version }]) => [stream, version]));
    const after = raw('CAST("wanted"."value" AS bigint)');
    const ofStream = sql`FROM ${eventsTable} WHERE "stream_id" = "wanted"."key" AND "stream_version"`;
    const newest = sql`${ofStream} <= ${after} + ${raw(String(PAGE_EVENTS))} ORDER BY "stream_version" DESC LIMIT 1`;
    return sql`SELECT "wanted"."key" AS "stream",
        (SELECT "event_id" ${ofStream} = ${after}) AS "first_id",
        (SELECT "stream_version" ${newest}) AS "last_version",
        (SELECT "event_id" ${newest}) AS "last_id",
        (SELECT string_agg('"' || "type" || '",' || "schema_version" || ',' || "data", ',') FROM (
          SELECT "type", "schema_version", "data" ${ofStream} > ${after} ORDER BY "stream_version" LIMIT ${raw(String(PAGE_EVENTS))}
        ) AS "page") AS "events"
      FROM ${streamTable(this.database.reader, versions)} AS "wanted"`;
  }

  private fold(row: PageRow, before: FoldedState<State>): FoldedPage<State> {
    if (row.first_id !== before.eventId) {
      this.cache.delete(row.stream);
      return { folded: this.empty, isComplete: false };
    }
    const folded = row.events === null ? before : this.evolve(before, row, row.events);
    const isComplete = folded.version < before.version + PAGE_EVENTS;
    const isDue = isComplete && folded.version >= folded.storedVersion + STORED_EVERY;
    // In the background: a state that is not stored only costs folding.
    if (isDue) this.store(row.stream, folded).catch(() => undefined);
    if (folded.version >= MIN_CACHED_EVENTS) this.cache.set(row.stream, isDue ? { ...folded, storedVersion: folded.version } : folded);
    return { folded, isComplete };
  }

  private evolve(before: FoldedState<State>, row: PageRow, events: string): FoldedState<State> {
    const members = JSON.parse(`[${events}]`) as unknown[];
    let { state } = before;
    for (let index = 0; index < members.length; index += MEMBERS_OF_AN_EVENT) {
      const [type, schemaVersion, data] = [members[index] as string, members[index + 1] as number, members[index + 2] as object];
      state = this.decider.evolve(state, { type, data: this.registry.upcast(type, schemaVersion, data).data });
    }
    return { ...before, state, version: Number(row.last_version), eventId: row.last_id };
  }

  /** Puts stored states into the cache, except those whose event is not in the log. */
  private async cacheStored(streams: readonly string[]): Promise<void> {
    if (this.decider.stateFormat === undefined || streams.length === 0) return;
    const rows = await this.database.reader.query<StoredState>(
      sql`SELECT "stored"."stream_id", "stored"."version", "stored"."event_id", "stored"."state" FROM ${table} AS "stored"
          JOIN ${eventsTable} AS "events" ON "events"."stream_id" = "stored"."stream_id"
            AND "events"."stream_version" = "stored"."version" AND "events"."event_id" = "stored"."event_id"
          WHERE "stored"."stream_id" ${isOneOf(streams)} AND "stored"."form" = ${this.decider.stateFormat}`,
    );
    for (const { stream_id, version, event_id: eventId, state } of rows) {
      const folded = { state: deserialize(Buffer.from(state, 'base64')) as State, version: Number(version), eventId };
      this.cache.set(stream_id, { ...folded, storedVersion: folded.version });
    }
  }

  private async store(stream: string, { state, version, eventId }: FoldedState<State>): Promise<void> {
    if (this.decider.stateFormat === undefined) return;
    const values = [stream, this.decider.stateFormat, version, eventId, serialize(state).toString('base64')];
    const columns = ['stream_id', 'form', 'version', 'event_id', 'state'];
    const suffix = sql`ON CONFLICT ("stream_id", "form") DO UPDATE
      SET "version" = excluded."version", "event_id" = excluded."event_id", "state" = excluded."state"`;
    await this.database.write((transaction) => insertRows(transaction, { table, columns, rows: [values], suffix }), { durable: false });
  }
}

/** About how many characters a state takes. */
function estimateSize(state: unknown): number {
  const text = JSON.stringify(state, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)) as
    string | undefined;
  return text?.length ?? 0;
}
