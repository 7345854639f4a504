import { raw, sql, type SqlFragment, whereAll } from '#libs/database';
import { invalidParameter } from '#libs/observability';
import { countInWalks, findInWalks, toPage, tooManyRows, type BoundedWalk, type Page, type PageRange } from './bounded-rows.js';
import type { RecordedEvent } from './event.js';
import { EventReader, eventsTable, toClause, type EventFilter, type EventQuery } from './read-events.js';
import { countPositions, newestPosition, readPosition } from './sequences.js';

const NARROWING = 'streams, types, since, before, positionFrom or positionTo';

export interface EventListRange extends PageRange {
  readonly filter: EventFilter;
}

/** Reads the log by filters too, in both directions. Never reads the whole log. */
export class EventList extends EventReader {
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
  async total(filter: EventFilter): Promise<number> {
    const query = await this.toQuery(filter);
    const conditions = this.conditions(filter);
    if (!query.streams && !query.types && conditions.length === 0) return Number(await countPositions(this.runner, query));
    const total = await countInWalks(this.runner, [toWalk(query, conditions)], whereAll(conditions));
    if (total === undefined) throw tooManyRows('count', 'events', NARROWING);
    return total;
  }

  private async find(query: EventQuery, conditions: readonly SqlFragment[], limit: number): Promise<readonly RecordedEvent[]> {
    if (conditions.length === 0) return this.readAll({ ...query, limit });
    const matching = sql`${whereAll(conditions)} ORDER BY "position" ${raw(query.newestFirst ? 'DESC' : 'ASC')} LIMIT ${limit}`;
    const read = (rows: SqlFragment) => this.select(matching, sql`(${rows}) AS "events"`);
    const found = await findInWalks(this.runner, [toWalk(query, conditions)], { limit, read });
    if (!found) throw tooManyRows('page', 'events', NARROWING);
    return found;
  }

  /** Returns the conditions that no index answers. */
  private conditions({ actor, requestId }: EventFilter): SqlFragment[] {
    const named = Object.entries({ actor, requestId }).filter(([, value]) => value !== undefined);
    // Metadata is one JSON object of texts, in which quotes stand around names and values only.
    return named.map(([name, value]) =>
      this.runner.dialect.textSearch.contains(raw('"metadata"'), `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    );
  }

  private async toQuery({ streams, types, since, before, positionFrom = 1n, positionTo }: EventFilter) {
    const unknown = types?.filter((type) => !this.registry.types().includes(type)) ?? [];
    if (unknown.length > 0) {
      const names = unknown.map((type) => JSON.stringify(type)).join(', ');
      throw invalidParameter('types', 'in', `types must be among ${this.registry.types().toSorted().join(', ')}; ${names} is none`);
    }
    const end = await readPosition(this.runner, newestPosition);
    const upTo = before ? await this.positionBefore(before) : end;
    const after = since ? await this.positionBefore(since) : 0n;
    return { streams, types, after: greatest(positionFrom - 1n, after), until: least(upTo, positionTo ?? end) };
  }
}

function toWalk(query: EventQuery, { length }: readonly SqlFragment[]): BoundedWalk {
  const rows = (limit: number) => sql`SELECT * FROM ${eventsTable} ${toClause({ ...query, limit })}`;
  return { isOrdered: true, isExact: length === 0, rows };
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function greatest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
