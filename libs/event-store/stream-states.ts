import { LRUCache } from 'lru-cache';
import { BatchLoader } from '#libs/batching';
import { raw, sql, type Database, type SqlRunner } from '#libs/database';
import type { Evolution } from './decider.js';
import type { DomainEvent } from './event.js';
import { eventsTable } from './event-row.js';
import type { EventRegistry } from './event-registry.js';
import { StoredStates, type FoldedState } from './stored-states.js';
import { streamsWith } from './streams-with.js';

/** What the events of a stream have led to, and how many there are. */
export interface StreamState<State> {
  readonly state: State;
  readonly version: number;
}

interface FoldedPage<State> {
  readonly folded: FoldedState<State>;
  readonly isComplete: boolean;
}

/** The events of a stream behind a version, and what stands at both ends of them. */
interface PageRow {
  readonly stream: string;
  readonly first_id: string | null;
  readonly last_version: bigint | string | null;
  readonly last_id: string | null;
  /** The members of a JSON array: type, schema version and data of each event. Null where there is none. */
  readonly events: string | null;
}

// Others wait for at most the folding of so many events of a stream, a millisecond or two.
const PAGE_EVENTS = 1_000;
// Folding fewer is cheap. Nearly all streams are shorter, so that the bounds below are those of streams that are worth it.
const SHORTEST_KEPT = 20;
const MOST_KEPT = 1_000;
const MOST_KEPT_CHARACTERS = 16_000_000;
const STORED_EVERY = 1_000;
const MEMBERS_OF_AN_EVENT = 3;

/**
 * The states to which one decider folds streams. Those of long streams are kept and brought up to date by the events behind them, also
 * by those that other processes append, and are stored now and then for the next process. A state whose last event is no longer in the
 * log is thrown away: the log was put back to a moment before.
 */
export class StreamStates<State> {
  private readonly kept = new LRUCache<string, FoldedState<State>>({
    max: MOST_KEPT,
    maxSize: MOST_KEPT_CHARACTERS,
    sizeCalculation: ({ state }, stream) => stream.length + roughSize(state),
  });
  private readonly pages = new BatchLoader<string, FoldedPage<State>>((streams) => this.readPages(streams));
  private readonly stored: StoredStates<State> | undefined;

  constructor(
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly decider: Evolution<State, DomainEvent>,
  ) {
    this.stored = decider.form === undefined ? undefined : new StoredStates(database, decider.form);
  }

  async load(stream: string): Promise<StreamState<State>> {
    for (;;) {
      const page = await this.pages.load(this, stream);
      if (page?.isComplete) return page.folded;
    }
  }

  private get nothing(): FoldedState<State> {
    return { state: this.decider.initialState, version: 0, eventId: null, storedVersion: 0 };
  }

  /** One page of each stream, with one statement for all of them. */
  private async readPages(streams: readonly string[]): Promise<ReadonlyMap<string, FoldedPage<State>>> {
    const known = new Map(streams.map((stream) => [stream, this.kept.get(stream) ?? this.nothing]));
    const rows = await this.database.reader.query<PageRow>(pagesBehind(this.database.reader, known));
    const pages = new Map(rows.map((row) => [row.stream, this.fold(row, known.get(row.stream) ?? this.nothing)]));
    const begun = rows.filter(({ stream }) => known.get(stream)?.version === 0 && pages.get(stream)?.isComplete === false);
    for (const [stream, state] of (await this.stored?.find(begun.map(({ stream }) => stream))) ?? []) this.kept.set(stream, state);
    return pages;
  }

  private fold(row: PageRow, before: FoldedState<State>): FoldedPage<State> {
    if (row.first_id !== before.eventId) {
      this.kept.delete(row.stream);
      return { folded: this.nothing, isComplete: false };
    }
    const folded = row.events === null ? before : this.evolve(before, row, row.events);
    const isComplete = folded.version < before.version + PAGE_EVENTS;
    const isDue = isComplete && folded.version >= folded.storedVersion + STORED_EVERY;
    if (isDue) this.store(row.stream, folded);
    if (folded.version >= SHORTEST_KEPT) this.kept.set(row.stream, isDue ? { ...folded, storedVersion: folded.version } : folded);
    return { folded, isComplete };
  }

  /** Nobody waits for it, or is told where it fails: it only spares folding, and further events bring another one. */
  private store(stream: string, folded: FoldedState<State>): void {
    this.stored?.save(stream, folded).catch(() => undefined);
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
}

/**
 * Reads each page as one text, since a row for each event took three times as long. The inner statements of a row use the index of
 * streams, whatever the planner of PostgreSQL expects.
 */
function pagesBehind(runner: SqlRunner, known: ReadonlyMap<string, { readonly version: number }>) {
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
    FROM ${streamsWith(runner, versions)} AS "wanted"`;
}

/** About how many characters a state takes. */
function roughSize(state: unknown): number {
  const text = JSON.stringify(state, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)) as
    string | undefined;
  return text?.length ?? 0;
}
