import { identifier, insertRows, isOneOf, join, sql, type SqlFragment, type SqlRunner, type TableRow } from '#libs/database';
import { listEventTypes, parseStreamNumber, type EventDefinitions, type EventsOf, type RecordedEvent } from '../event-store/event.js';
import { column, type Column, type Columns, type NewRowValues, type RowValues, type StoredValue } from './columns.js';
import type { Projection, ProjectionTable, ProjectionTarget } from './projection.js';

/** A row of a stream: `id` is the number in the stream's name, `version` that of the last event that it was made of. */
export type StreamRow<Of extends Columns = Columns> = RowValues<Of> & { readonly id: bigint; readonly version: number };

/** The rows that a batch of events changes, by id, before and after it; without those that are absent. */
export interface RowChanges<Row, Event> {
  readonly events: readonly Event[];
  /** What each event has changed, in order; a row is undefined while it is absent. */
  readonly steps: readonly { readonly event: Event; readonly before: Row | undefined; readonly after: Row | undefined }[];
  readonly before: ReadonlyMap<bigint, Row>;
  readonly after: ReadonlyMap<bigint, Row>;
}

interface StreamProjectionOptions<Definitions extends EventDefinitions, Of extends Columns> {
  /** Stable name, as in `projections rebuild NAME`. Its table has the same name, with `_` for `-`. */
  readonly name: string;
  /** Raise it with every change of columns, indexes, `evolve` or upcasters. */
  readonly version: number;
  readonly events: Definitions;
  readonly columns: Of;
  readonly indexes?: readonly (readonly (keyof Of | 'id')[])[];
  /** Members whose texts are found by a part of them. */
  readonly searched?: readonly (keyof Of & string)[];
  /** Returns the row after an event, undefined if there is none from then on. Depends on nothing else; ignores events of a newer build. */
  readonly evolve: (row: StreamRow<Of> | undefined, event: RecordedEvent<EventsOf<Definitions>>) => NewRowValues<Of> | undefined;
  /** Tables that are not one row a stream. */
  readonly further?: readonly {
    readonly tables: readonly ProjectionTable[];
    project(changes: RowChanges<StreamRow<Of>, RecordedEvent<EventsOf<Definitions>>>, target: ProjectionTarget): void | Promise<void>;
  }[];
}

/** A projection whose table has one row for each stream. */
export interface StreamProjection<Row extends { readonly id: bigint }> extends Projection {
  readonly table: StreamTable<Row>;
  /** Returns the row of a stream after the first of its events, or more of them; undefined if there is none. */
  fold(events: readonly RecordedEvent[]): Row | undefined;
}

/** The row of a stream projection. */
export type RowOf<Of> = Of extends StreamProjection<infer Row> ? Row : never;

/** Declares a read model with one row for each stream, which is a fold of the stream's events. */
export function streamProjection<const Definitions extends EventDefinitions, const Of extends Columns>({
  name,
  version,
  events: definitions,
  columns,
  indexes = [],
  searched = [],
  evolve,
  further = [],
}: StreamProjectionOptions<Definitions, Of>): StreamProjection<StreamRow<Of>> {
  type Row = StreamRow<Of>;
  type Event = RecordedEvent<EventsOf<Definitions>>;
  const table = new StreamTable<Row>(name.replaceAll('-', '_'), columns, { indexes: indexes as readonly (readonly string[])[], searched });
  const rowAfter = (row: Row | undefined, event: Event): Row | undefined => {
    const values = evolve(row, event);
    return values && table.pick({ ...values, id: parseStreamNumber(event.stream), version: event.version });
  };
  return {
    fold: (events) => (events as unknown as readonly Event[]).reduce<Row | undefined>(rowAfter, undefined),
    name,
    version,
    eventTypes: listEventTypes(definitions),
    table,
    tables: [table.definition, ...further.flatMap(({ tables }) => tables)],
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

interface Member {
  readonly member: string;
  /** Name of the column. */
  readonly name: string;
  readonly kind: Column;
}

/** The table of a stream projection: turns rows to columns and back, and writes what has changed. */
export class StreamTable<Row extends { readonly id: bigint }> {
  private readonly members: readonly Member[];
  private readonly names: readonly string[];
  /** The quoted columns, in order. */
  readonly selected: SqlFragment;

  constructor(
    readonly name: string,
    columns: Columns,
    /** By the names of members. An index ends with what it orders rows by. */
    readonly access: { readonly indexes: readonly (readonly string[])[]; readonly searched: readonly string[] },
  ) {
    const all: Columns = { id: column.int64(), ...columns, version: column.integer() };
    this.members = Object.entries(all).map(([member, kind]) => ({ member, kind, name: kind.name ?? snakeCase(member) }));
    this.names = this.members.map((each) => each.name);
    this.selected = join(this.names.map(identifier));
  }

  /** Returns the name of a member's column. @throws Error for a member that the rows do not have */
  columnName(member: string): string {
    return this.find(member).name;
  }

  /** Returns a member's value as it is stored. */
  store(member: string, value: unknown): StoredValue {
    return this.find(member).kind.write(value);
  }

  get definition(): ProjectionTable {
    const toColumns = (members: readonly string[]) => members.map((member) => this.columnName(member));
    const { indexes, searched } = this.access;
    return {
      name: this.name,
      columns: Object.fromEntries(this.members.map(({ name, kind }) => [name, kind])),
      primaryKey: ['id'],
      indexes: indexes.map(toColumns),
      ...(searched.length > 0 && { searched: toColumns(searched) }),
    };
  }

  /** Returns a row with the table's members only; an undefined one is absent. */
  pick(values: object): Row {
    const given = values as Readonly<Record<string, unknown>>;
    const row: Record<string, unknown> = {};
    for (const { member } of this.members) if (given[member] !== undefined) row[member] = given[member];
    return row as unknown as Row;
  }

  /** Makes a row of what a statement has selected. */
  fromStored(stored: Readonly<Record<string, StoredValue | null>>): Row {
    const row: Record<string, unknown> = {};
    for (const { member, name, kind } of this.members) {
      const value = stored[name];
      if (value !== null && value !== undefined) row[member] = kind.read(value);
    }
    return row as unknown as Row;
  }

  async read(runner: SqlRunner, table: SqlFragment, clause: SqlFragment): Promise<Row[]> {
    const found = await runner.query<Record<string, StoredValue | null>>(sql`SELECT ${this.selected} FROM ${table} ${clause}`);
    return found.map((stored) => this.fromStored(stored));
  }

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

  private toStored(row: Row): (StoredValue | null)[] {
    const values = row as Readonly<Record<string, unknown>>;
    return this.members.map(({ member, kind }) => (values[member] === undefined ? null : kind.write(values[member])));
  }

  /** SQLite writes the index of each column that is set, even if its value stays. */
  private changedColumns(before: Row | undefined, values: readonly (StoredValue | null)[]): readonly string[] {
    if (!before) return this.names;
    const earlier = this.toStored(before);
    return this.names.filter((_, index) => earlier[index] !== values[index]);
  }

  private find(member: string): Member {
    const found = this.members.find((each) => each.member === member);
    if (!found) throw new Error(`The rows of ${this.name} have no member ${member}.`);
    return found;
  }
}

function overwrite(columns: readonly string[]): SqlFragment {
  const set = columns.map((name) => sql`${identifier(name)} = excluded.${identifier(name)}`);
  return sql`ON CONFLICT ("id") DO UPDATE SET ${join(set)}`;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
