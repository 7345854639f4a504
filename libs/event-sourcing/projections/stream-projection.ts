import {
  entityTable,
  EntityTable,
  identifier,
  insertRows,
  isOneOf,
  join,
  sql,
  type EntityClass,
  type SqlFragment,
  type TableRow,
} from '#libs/database';
import { listEventTypes, parseStreamNumber, type EventDefinitions, type EventsOf, type RecordedEvent } from '../event-store/event.js';
import type { EventStore } from '../event-store/event-store.js';
import { groupByStream, takeUntil } from '../event-store/read-events.js';
import type { Projection, ProjectionTarget } from './projection.js';

/** A row of a stream: `id` is the number in the stream's name, `version` that of the last event that it was made of. */
export interface StreamRow {
  readonly id: bigint;
  readonly version: number;
}

/** The members of an entity: a row that is folded is a plain object. */
type Members<Row> = { [Name in keyof Row]: Row[Name] };

type OptionalMembers<Row> = { [Name in keyof Row]-?: object extends Pick<Row, Name> ? Name : never }[keyof Row];

/** A row without its id and version; an optional member may be undefined. */
type RowValues<Row> = Omit<Row, OptionalMembers<Row> | keyof StreamRow> & { [Name in OptionalMembers<Row>]?: Row[Name] | undefined };

/** The rows that a batch of events changes, by id, before and after it; without those that are absent. */
export interface RowChanges<Row, Event> {
  readonly events: readonly Event[];
  /** What each event has changed, in order; a row is undefined while it is absent. */
  readonly steps: readonly { readonly event: Event; readonly before: Row | undefined; readonly after: Row | undefined }[];
  readonly before: ReadonlyMap<bigint, Row>;
  readonly after: ReadonlyMap<bigint, Row>;
}

interface StreamProjectionOptions<Definitions extends EventDefinitions, Row extends StreamRow> {
  /** The rows. An index of the entity ends with what it orders rows by. The name of the table is that of the projection, with `-` for `_`. */
  readonly entity: EntityClass<Row>;
  /** Raise it with every change of the entity, `evolve` or upcasters. */
  readonly version: number;
  readonly events: Definitions;
  /** Members whose texts are found by a part of them. */
  readonly searched?: readonly (keyof NoInfer<Row> & string)[];
  /** Returns the row after an event, undefined if there is none from then on. Depends on nothing else; ignores events of a newer build. */
  readonly evolve: (
    row: Members<NoInfer<Row>> | undefined,
    event: RecordedEvent<EventsOf<Definitions>>,
  ) => RowValues<NoInfer<Row>> | undefined;
  /** Tables that are not one row a stream. */
  readonly further?: readonly {
    readonly entities: readonly EntityClass[];
    project(changes: RowChanges<NoInfer<Row>, RecordedEvent<EventsOf<Definitions>>>, target: ProjectionTarget): void | Promise<void>;
  }[];
}

/** A projection whose table has one row for each stream. */
export interface StreamProjection<Row extends { readonly id: bigint }> extends Projection {
  readonly table: StreamTable<Row>;
  /** Returns the row of a stream after the first of its events, or more of them; undefined if there is none. */
  fold(events: readonly RecordedEvent[]): Row | undefined;
}

/** Declares a read model with one row for each stream, which is a fold of the stream's events. */
export function streamProjection<const Definitions extends EventDefinitions, Row extends StreamRow>({
  entity,
  version,
  events: definitions,
  searched = [],
  evolve,
  further = [],
}: StreamProjectionOptions<Definitions, Row>): StreamProjection<Row> {
  type Event = RecordedEvent<EventsOf<Definitions>>;
  const table = new StreamTable<Row>(entity, searched);
  const rowAfter = (row: Row | undefined, event: Event): Row | undefined => {
    const values = evolve(row, event);
    return values && ({ ...values, id: parseStreamNumber(event.stream), version: event.version } as Row);
  };
  return {
    fold: (events) => (events as unknown as readonly Event[]).reduce<Row | undefined>(rowAfter, undefined),
    name: table.name.replaceAll('_', '-'),
    version,
    eventTypes: listEventTypes(definitions),
    table,
    tables: [table, ...further.flatMap(({ entities }) => entities.map((each) => entityTable(each)))],
    async project(recorded, target) {
      const events = recorded as unknown as readonly Event[];
      const before = await table.readEarlier(events, target);
      const after = new Map<bigint, Row>(before);
      const steps = events.map((event) => {
        const id = parseStreamNumber(event.stream);
        const row = after.get(id);
        const next = rowAfter(row, event);
        if (next) after.set(id, next);
        else after.delete(id);
        return { event, before: row, after: next };
      });
      const changes = { events, steps, before, after };
      table.write(before, after, target);
      for (const each of further) await each.project(changes, target);
    },
  };
}

/** Folds streams up to a moment, that millisecond included. Returns the rows that a projection had of them then, by id; omits absent ones. */
export async function readPastRows<Row extends { readonly id: bigint }>(
  store: EventStore,
  projection: Pick<StreamProjection<Row>, 'fold'>,
  streams: readonly string[],
  moment: Date,
): Promise<ReadonlyMap<bigint, Row>> {
  const histories = groupByStream(await store.readAll({ streams }));
  const rows = [...histories.values()].flatMap((history) => projection.fold(takeUntil(history, moment)) ?? []);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The table of a stream projection: writes what has changed. */
export class StreamTable<Row extends { readonly id: bigint }> extends EntityTable<Row> {
  /** Reads the rows of streams that began before these events. */
  async readEarlier(events: readonly RecordedEvent[], target: ProjectionTarget): Promise<Map<bigint, Row>> {
    const ids = new Set(events.filter(({ version }) => version > 1).map(({ stream }) => parseStreamNumber(stream)));
    if (ids.size === 0) return new Map();
    const rows = await this.read(target, target.table(this.name), sql`WHERE "id" ${isOneOf([...ids])}`);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Writes the difference, with one statement for each set of columns that change together. */
  write(before: ReadonlyMap<bigint, Row>, after: ReadonlyMap<bigint, Row>, target: ProjectionTarget): void {
    const table = target.table(this.name);
    const removed = [...before.keys()].filter((id) => !after.has(id));
    if (removed.length > 0) target.execute(sql`DELETE FROM ${table} WHERE "id" ${isOneOf(removed)}`);
    const rowsByChange = new Map<string, { readonly changed: readonly string[]; readonly rows: TableRow[] }>();
    for (const [id, row] of after) {
      const values = this.toStored(row);
      const changed = this.changedColumns(before.get(id), values);
      const key = changed.join();
      const group = rowsByChange.get(key) ?? { changed, rows: [] };
      rowsByChange.set(key, group);
      group.rows.push(values);
    }
    for (const { changed, rows } of rowsByChange.values()) {
      insertRows(target, { table, columns: this.names, rows, suffix: overwrite(changed) });
    }
  }

  /** SQLite writes the index of each column that is set, even if its value stays. */
  private changedColumns(before: Row | undefined, values: TableRow): readonly string[] {
    if (!before) return this.names;
    const earlier = this.toStored(before);
    return this.names.filter((_, index) => earlier[index] !== values[index]);
  }
}

function overwrite(columns: readonly string[]): SqlFragment {
  const set = columns.map((name) => sql`${identifier(name)} = excluded.${identifier(name)}`);
  return sql`ON CONFLICT ("id") DO UPDATE SET ${join(set)}`;
}
