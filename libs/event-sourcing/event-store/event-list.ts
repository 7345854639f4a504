import { Injectable } from '@nestjs/common';
import { Database, isOneOf, raw, sql, type SqlFragment, whereAll } from '#libs/database';
import { invalidParameter } from '#libs/observability';
import { BOUNDS, countRows, firstOfRanges, MAX_ROWS, tooManyRows } from './bounded-rows.js';
import { toPage, type Page, type PageRange } from './page.js';
import { EventRegistry, type RecordedEvent } from './event.js';
import { EventStore } from './event-store.js';
import { eventColumns, eventsTable, selectEvents, type EventFilter } from './read-events.js';
import { countPositions } from './sequences.js';
import { lastStoredPosition } from './stored-log.js';

const BEFORE_ALL = -1n;
const NARROWING = 'streams, types, since, before, positionFrom or positionTo';

export interface EventListRange extends PageRange {
  readonly filter: EventFilter;
}

/** The positions of a list, both included. */
interface Positions {
  readonly from: bigint;
  readonly to: bigint;
}

/** Reads the log by filters, in both directions. Never reads the whole log. */
@Injectable()
export class EventList {
  constructor(
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly store: EventStore,
  ) {}

  /**
   * Returns a page of the events that match, in the order of their positions.
   * @throws ApplicationError `invalid_parameter` for an unknown type, and if more than 100,000 events would have to be read
   */
  async page({ limit, after, descending = false, filter }: EventListRange): Promise<Page<RecordedEvent>> {
    const positions = await this.positions(filter);
    const { from, to } = positions;
    const rest =
      after === undefined ? positions : descending ? { from, to: least(to, after - 1n) } : { from: greatest(from, after + 1n), to };
    const order = raw(descending ? 'ORDER BY "position" DESC' : 'ORDER BY "position"');
    return toPage(
      { limit },
      (range) => this.find(rest, { filter, order, limit: range.limit }),
      ({ position }) => position,
    );
  }

  /**
   * Counts the events that match, exactly.
   * @throws as `page`
   */
  async count(filter: EventFilter): Promise<number> {
    const positions = await this.positions(filter);
    const { streams, types, actor, requestId } = filter;
    if ([streams, types, actor, requestId].every((value) => value === undefined)) {
      return Number(await countPositions(this.database.reader, { after: positions.from - 1n, until: positions.to }));
    }
    const candidates = this.candidates(positions, { filter, order: raw('ORDER BY "position"') });
    if ((await countRows(this.database.reader, candidates(MAX_ROWS + 1))) > MAX_ROWS) throw tooManyRows('count', 'events', NARROWING);
    return countRows(this.database.reader, candidates(MAX_ROWS), this.conditions(filter));
  }

  private async find(
    positions: Positions,
    { filter, order, limit }: { readonly filter: EventFilter; readonly order: SqlFragment; readonly limit: number },
  ): Promise<readonly RecordedEvent[]> {
    const candidates = this.candidates(positions, { filter, order });
    const conditions = this.conditions(filter);
    const isNarrowed = conditions.length > 0;
    for (const bound of isNarrowed ? BOUNDS : [limit]) {
      const from = sql`(${candidates(bound)}) AS "events"`;
      const found = await selectEvents(this.database.reader, this.registry, sql`${whereAll(conditions)} ${order} LIMIT ${limit}`, from);
      if (!isNarrowed || found.length === limit || (await countRows(this.database.reader, candidates(bound))) < bound) return found;
    }
    throw tooManyRows('page', 'events', NARROWING);
  }

  /** Returns queries of the first events by the most selective index. */
  private candidates(
    { from, to }: Positions,
    { filter: { streams, types }, order }: { readonly filter: EventFilter; readonly order: SqlFragment },
  ): (bound: number) => SqlFragment {
    const within = sql`"position" >= ${from} AND "position" <= ${to}`;
    const column = streams ? raw('"stream_id"') : raw('"type"');
    // A value that is given twice would give its events twice.
    const values = new Set(streams ?? types ?? [undefined]);
    const ranges = [...values].map((value) => (value === undefined ? within : sql`${column} = ${value} AND ${within}`));
    const queries = ranges.map((range) => sql`SELECT ${eventColumns} FROM ${eventsTable} WHERE ${range}`);
    return (bound) => firstOfRanges(queries, order, bound);
  }

  /** Returns the conditions that no index answers. */
  private conditions({ streams, types, actor, requestId }: EventFilter): SqlFragment[] {
    const named = Object.entries({ actor, requestId }).filter(([, value]) => value !== undefined);
    return [
      ...(streams && types ? [sql`"type" ${isOneOf(types)}`] : []),
      // Metadata is one JSON object of texts, in which quotes stand around names and values only.
      ...named.map(([name, value]) =>
        this.database.dialect.textSearch.contains(raw('"metadata"'), `${JSON.stringify(name)}:${JSON.stringify(value)}`),
      ),
    ];
  }

  private async positions({ types = [], since, before, positionFrom = 1n, positionTo }: EventFilter): Promise<Positions> {
    const unknown = types.filter((type) => !this.registry.types().includes(type));
    if (unknown.length > 0) {
      const names = unknown.map((type) => JSON.stringify(type)).join(', ');
      throw invalidParameter('types', 'in', `types must be among ${this.registry.types().toSorted().join(', ')}; ${names} is none`);
    }
    const end = await lastStoredPosition(this.database.reader);
    const upTo = before ? await this.store.positionBefore(before) : end;
    const after = since ? await this.store.positionBefore(since) : BEFORE_ALL;
    return { from: greatest(positionFrom, after + 1n), to: least(upTo, positionTo ?? end) };
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function greatest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
