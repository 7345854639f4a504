import { Injectable } from '@nestjs/common';
import { Database, raw, sql, type SqlFragment, whereAll } from '#libs/database';
import { invalidParameter } from '#libs/observability';
import { countRows, findInGrowingBounds, MAX_ROWS, tooManyRows } from './bounded-rows.js';
import { toPage, type Page, type PageRange } from './page.js';
import { EventRegistry, type RecordedEvent } from './event.js';
import { EventStore } from './event-store.js';
import { eventsTable, toClause, type EventFilter, type EventQuery } from './read-events.js';
import { countPositions, newestPosition, readPosition } from './sequences.js';

const NARROWING = 'streams, types, since, before, positionFrom or positionTo';

export interface EventListRange extends PageRange {
  readonly filter: EventFilter;
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
    const query = { ...(await this.toQuery(filter)), newestFirst: descending };
    const rest =
      after === undefined ? {} : descending ? { until: least(query.until, after - 1n) } : { after: greatest(query.after, after) };
    const found = await this.find({ ...query, ...rest }, this.conditions(filter), limit + 1);
    return toPage(found, limit, ({ position }) => position);
  }

  /**
   * Counts the events that match, exactly.
   * @throws as `page`
   */
  async count(filter: EventFilter): Promise<number> {
    const query = await this.toQuery(filter);
    const conditions = this.conditions(filter);
    if (!query.streams && !query.types && conditions.length === 0) return Number(await countPositions(this.database.reader, query));
    if ((await this.countFirst(query, MAX_ROWS + 1)) > MAX_ROWS) throw tooManyRows('count', 'events', NARROWING);
    return this.countFirst(query, MAX_ROWS, conditions);
  }

  private async find(query: EventQuery, conditions: readonly SqlFragment[], limit: number): Promise<readonly RecordedEvent[]> {
    if (conditions.length === 0) return this.store.readAll({ ...query, limit });
    const order = raw(query.newestFirst ? 'DESC' : 'ASC');
    const read = (bound: number) => {
      const where = whereAll([this.isAmongFirst(query, bound), ...conditions]);
      return this.store.select(sql`${where} ORDER BY "position" ${order} LIMIT ${limit}`);
    };
    const found = await findInGrowingBounds(limit, [{ isOrdered: true, read, count: (bound) => this.countFirst(query, bound) }]);
    if (!found) throw tooManyRows('page', 'events', NARROWING);
    return found;
  }

  /** Counts those of the first events for which all conditions hold. */
  private countFirst(query: EventQuery, bound: number, conditions: readonly SqlFragment[] = []): Promise<number> {
    const where = whereAll([this.isAmongFirst(query, bound), ...conditions]);
    return countRows(this.database.reader, sql`SELECT "position" FROM ${eventsTable} ${where}`);
  }

  private isAmongFirst(query: EventQuery, bound: number): SqlFragment {
    return sql`"position" IN (SELECT "position" FROM ${eventsTable} ${toClause({ ...query, limit: bound })})`;
  }

  /** Returns the conditions that no index answers. */
  private conditions({ actor, requestId }: EventFilter): SqlFragment[] {
    const named = Object.entries({ actor, requestId }).filter(([, value]) => value !== undefined);
    // Metadata is one JSON object of texts, in which quotes stand around names and values only.
    return named.map(([name, value]) =>
      this.database.dialect.textSearch.contains(raw('"metadata"'), `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    );
  }

  private async toQuery({ streams, types, since, before, positionFrom = 1n, positionTo }: EventFilter) {
    const unknown = types?.filter((type) => !this.registry.types().includes(type)) ?? [];
    if (unknown.length > 0) {
      const names = unknown.map((type) => JSON.stringify(type)).join(', ');
      throw invalidParameter('types', 'in', `types must be among ${this.registry.types().toSorted().join(', ')}; ${names} is none`);
    }
    const end = await readPosition(this.database.reader, newestPosition);
    const upTo = before ? await this.store.positionBefore(before) : end;
    const after = since ? await this.store.positionBefore(since) : 0n;
    return { streams, types, after: greatest(positionFrom - 1n, after), until: least(upTo, positionTo ?? end) };
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function greatest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
