import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import {
  columnTypes,
  entityTable,
  isAmong,
  plannedForValues,
  raw,
  sql,
  whereAll,
  type SqlFragment,
  type SqlRunner,
  type WriteTransaction,
} from '#libs/database';
import { countRows, firstOfRanges } from './bounded-rows.js';
import type { EventMetadata, EventRegistry, RecordedEvent } from './event.js';

/** A row of the log, not upcast. Data and metadata are JSON texts. */
@Entity('events')
@Unique('events_stream', ['stream', 'version'])
@Index('events_type', ['type', 'position'])
export class StoredEvent {
  @PrimaryColumn(columnTypes.int64) readonly position!: bigint;
  @Column({ ...columnTypes.text, name: 'stream_id' }) readonly stream!: string;
  @Column({ ...columnTypes.integer, name: 'stream_version' }) readonly version!: number;
  @Column(columnTypes.text) readonly eventId!: string;
  @Column(columnTypes.text) readonly type!: string;
  @Column(columnTypes.integer) readonly schemaVersion!: number;
  @Column(columnTypes.text) readonly data!: string;
  @Column(columnTypes.text) readonly metadata!: string;
  @Column(columnTypes.time) readonly recordedAt!: Date;
}

/** Which events to read, in the order of their positions. All conditions have to hold. */
export interface EventQuery {
  /** Only events after this position. Default 0: from the start. */
  readonly after?: bigint | undefined;
  /** Only events up to this position. Default: to the end. */
  readonly until?: bigint | undefined;
  readonly streams?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  /** Default false: the oldest first. */
  readonly newestFirst?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** Which events a list has: those that match all members. */
export interface EventFilter extends Pick<EventQuery, 'streams' | 'types'> {
  /** Recorded at this moment or later. */
  readonly since?: Date | undefined;
  /** Recorded before this moment. */
  readonly before?: Date | undefined;
  readonly positionFrom?: bigint | undefined;
  readonly positionTo?: bigint | undefined;
  readonly actor?: string | undefined;
  readonly requestId?: string | undefined;
}

/** A page of a stream. Versions have no gaps, so the next page begins at the version of the last event. */
export interface HistoryPage {
  readonly limit: number;
  /** Default `oldest`. */
  readonly first?: 'oldest' | 'newest';
  /** Only events that follow the one with this version, in the order of the page. */
  readonly after?: number | undefined;
  /** Only events up to this moment, that millisecond included. */
  readonly until?: Date | undefined;
}

const table = entityTable(StoredEvent);
export const eventsTable = table.quoted;

/**
 * Returns the clause of the events that a query selects, which begins with WHERE. With a limit, one range of an index is read for each stream
 * or type: one condition for all of them would read what is between.
 */
export function toClause(query: EventQuery): SqlFragment {
  const clause = toClauseOfRanges(query);
  // Between any two positions PostgreSQL expects few events, whatever their type.
  return query.types && query.until !== undefined ? plannedForValues(clause) : clause;
}

function toClauseOfRanges({ streams, types, ...query }: EventQuery): SqlFragment {
  const { newestFirst, limit } = query;
  const orderBy = (column: 'position' | 'stream_version') => raw(`ORDER BY "${column}" ${newestFirst ? 'DESC' : 'ASC'}`);
  if (limit === undefined) return sql`${whereAll(toConditions({ ...query, streams, types }))} ${orderBy('position')}`;
  const ranges = toRanges(streams, types).map((range) => whereAll(toConditions({ ...query, ...range })));
  // Versions of a stream are in the order of its positions, and in an index.
  const order = orderBy(streams ? 'stream_version' : 'position');
  const [first, ...others] = ranges;
  if (first && others.length === 0) return sql`${first} ${order} LIMIT ${limit}`;
  const found = ranges.map((range) => sql`SELECT "position" FROM ${eventsTable} ${range} ${order} LIMIT ${limit}`);
  const ofAll = sql`${orderBy('position')} LIMIT ${limit}`;
  return sql`WHERE "position" IN (${firstOfRanges(found, ofAll)}) ${ofAll}`;
}

/** A value that is given twice gives its events once. */
function toRanges(streams: EventQuery['streams'], types: EventQuery['types']): Pick<EventQuery, 'streams' | 'types'>[] {
  if (streams) return [...new Set(streams)].map((stream) => ({ streams: [stream], types }));
  return types ? [...new Set(types)].map((type) => ({ types: [type] })) : [{}];
}

function toConditions({ after, until, streams, types }: EventQuery): SqlFragment[] {
  return [
    ...(streams ? [sql`"stream_id" ${isAmong(streams)}`] : []),
    ...(types ? [sql`"type" ${isAmong(types)}`] : []),
    ...(after === undefined ? [] : [sql`"position" > ${after}`]),
    ...(until === undefined ? [] : [sql`"position" <= ${until}`]),
  ];
}

/** Writes events to the log in the order of their positions. */
export function insertEvents(transaction: WriteTransaction, events: readonly RecordedEvent[]): void {
  const writeMetadata = cacheLast((metadata: EventMetadata) => JSON.stringify(metadata));
  const rows = events.map((event) => ({ ...event, data: JSON.stringify(event.data), metadata: writeMetadata(event.metadata) }));
  table.insert(transaction, rows);
}

/** Converts the same source once: neighbouring events often have one metadata, and those of an import all do. */
function cacheLast<Source, Result>(convert: (source: Source) => Result): (source: Source) => Result {
  let last: { readonly source: Source; readonly result: Result } | undefined;
  return (source) => {
    if (last?.source !== source) last = { source, result: convert(source) };
    return last.result;
  };
}

/** Reads the log on one connection, and so sees what that sees, such as an open transaction or a snapshot. */
export class EventReader {
  constructor(
    protected readonly runner: SqlRunner,
    protected readonly registry: EventRegistry,
  ) {}

  /** Returns the events that a query selects, with one statement. */
  async readAll(query: EventQuery): Promise<RecordedEvent[]> {
    return query.types?.length === 0 || query.streams?.length === 0 ? [] : this.select(toClause(query));
  }

  /**
   * Returns the events that a condition selects, in the order that it asks for, upcast to the newest schema version of this build.
   * @param condition begins with JOIN, WHERE or ORDER BY
   * @param from what has the columns of the log. Default: the log.
   */
  async select(condition: SqlFragment, from = eventsTable): Promise<RecordedEvent[]> {
    const readMetadata = cacheLast((text: string) => JSON.parse(text) as EventMetadata);
    const rows: readonly Pick<StoredEvent, keyof StoredEvent>[] = await table.read(this.runner, from, condition);
    return rows.map((stored) => ({
      ...stored,
      ...this.registry.upcast(stored.type, stored.schemaVersion, JSON.parse(stored.data) as object),
      metadata: readMetadata(stored.metadata),
    }));
  }

  /**
   * Returns the same page of each of these streams, with one statement. Each is a range of versions, so that an index gives it wherever it
   * is in a long stream.
   */
  readHistories(streams: readonly string[], { limit, first = 'oldest', after, until }: HistoryPage): Promise<RecordedEvent[]> {
    const ofStream = sql`FROM ${eventsTable} WHERE "stream_id" = "wanted"."key"`;
    // The first events, also if an old log has times that go back.
    const later = sql`(SELECT min("stream_version") ${ofStream} AND "recorded_at" > ${until?.getTime() ?? 0})`;
    const last = sql`(SELECT max("stream_version") ${ofStream})`;
    return this.select(
      sql`JOIN (
            SELECT "wanted"."key" AS "stream", ${until ? sql`coalesce(${later} - 1, ${last})` : last} AS "newest"
            FROM ${streamTable(this.runner, new Map(streams.map((stream) => [stream, 0])))} AS "wanted"
          ) AS "streams" ON "stream_id" = "stream" AND ${version} <= ${newest} AND ${versionRange({ limit, first, after })}
          ORDER BY "position" ${raw(first === 'oldest' ? 'ASC' : 'DESC')}`,
    );
  }

  /**
   * Returns a position up to which all events were recorded at this moment or before, and after which all were recorded later. Since times
   * never go back along the log, it is found by halving, with as many look-ups as the newest position has binary digits.
   */
  async positionAt(moment: Date): Promise<bigint> {
    const middle = raw('("low" + "high" + 1) / 2');
    const time = sql`coalesce((SELECT "recorded_at" FROM ${eventsTable} WHERE "position" > "low" AND "position" <= ${middle}
      ORDER BY "position" DESC LIMIT 1), 0)`;
    const isUpTo = sql`${time} <= ${moment.getTime()}`;
    const [found] = await this.runner.query<{ position: bigint | string }>(
      sql`WITH RECURSIVE "halves"("low", "high") AS (
            SELECT * FROM (SELECT CAST(0 AS bigint), coalesce(max("position"), 0) FROM ${eventsTable}) AS "whole"
            UNION ALL
            SELECT CASE WHEN ${isUpTo} THEN ${middle} ELSE "low" END, CASE WHEN ${isUpTo} THEN "high" ELSE ${middle} - 1 END
            FROM "halves" WHERE "low" < "high"
          ) SELECT "low" AS "position" FROM "halves" WHERE "low" >= "high"`,
    );
    return BigInt(found?.position ?? 0);
  }

  /** Returns a position up to which all events were recorded before this moment, and after which none was. */
  positionBefore(moment: Date): Promise<bigint> {
    return this.positionAt(new Date(moment.getTime() - 1));
  }

  /** Counts the events that a query without a limit selects. */
  async count(query: Pick<EventQuery, 'after' | 'until' | 'types'>): Promise<bigint> {
    if (query.types?.length === 0) return 0n;
    return BigInt(await countRows(this.runner, sql`SELECT "position" FROM ${eventsTable} ${whereAll(toConditions(query))}`));
  }
}

const newest = raw('"newest"');
const version = raw('"events"."stream_version"');

function versionRange({ limit, first, after }: Pick<HistoryPage, 'limit' | 'first' | 'after'>): SqlFragment {
  if (first === 'oldest') return sql`${version} > ${after ?? 0} AND ${version} <= ${(after ?? 0) + limit}`;
  if (after === undefined) return sql`${version} > ${newest} - ${limit}`;
  return sql`${version} < ${after} AND ${version} >= ${after - limit}`;
}

/** Makes a table of streams with a number each, from one parameter. Its columns are `key` and `value`. */
export function streamTable({ dialect }: SqlRunner, numbers: ReadonlyMap<string, number>): SqlFragment {
  const members = raw(dialect.name === 'sqlite' ? 'json_each' : 'json_each_text');
  return sql`${members}(${JSON.stringify(Object.fromEntries(numbers))})`;
}

/** Groups events by their streams; those of each keep their order. */
export function groupByStream<Event extends { readonly stream: string }>(events: readonly Event[]): ReadonlyMap<string, readonly Event[]> {
  const streams = new Map<string, Event[]>();
  for (const event of events) {
    const ofStream = streams.get(event.stream);
    if (ofStream) ofStream.push(event);
    else streams.set(event.stream, [event]);
  }
  return streams;
}

/** Returns the events, given in order, up to the first one later than the moment; that millisecond is included. */
export function takeUntil<Event extends { readonly recordedAt: Date }>(events: readonly Event[], moment: Date): readonly Event[] {
  const end = events.findIndex(({ recordedAt }) => recordedAt > moment);
  return end < 0 ? events : events.slice(0, end);
}
