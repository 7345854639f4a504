import { DefaultNamingStrategy, getMetadataArgsStorage, type NamingStrategyInterface, type Table, type View } from 'typeorm';
import { columnsFor, insertRows, type SqlRunner, type WriteTransaction } from '../database.js';
import { identifier, join, type SqlFragment, sql } from '../sql.js';
import type { StoredValue } from './column-types.js';

/** Names of tables and columns in snake case, and of indexes by table and columns. */
export class TableNames extends DefaultNamingStrategy implements NamingStrategyInterface {
  /** @param versioned the names in the database of tables that are rebuilt, by those in `@Entity` */
  constructor(private readonly versioned: ReadonlyMap<string, string> = new Map()) {
    super();
  }

  override tableName(targetName: string, given: string | undefined): string {
    const name = given ?? snakeCase(targetName);
    return this.versioned.get(name) ?? name;
  }

  override columnName(member: string, given: string | undefined, prefixes: string[]): string {
    return given ?? snakeCase([...prefixes, member].join('_'));
  }

  override indexName(table: Table | View | string, columns: string[]): string {
    return [typeof table === 'string' ? table : table.name, ...columns].join('_');
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter, place: number) => `${place === 0 ? '' : '_'}${letter.toLowerCase()}`);
}

/** A class with `@Entity`. */
export type EntityClass<Row extends object = object> = new () => Row;

/** A column of an entity. */
interface EntityColumn {
  /** The property of the rows. */
  readonly member: string;
  /** Its name in the database. */
  readonly name: string;
  readonly type: 'bigint' | 'text';
  readonly isNullable: boolean;
  readonly isPrimary: boolean;
  readonly write: (value: unknown) => StoredValue | null;
  readonly read: (stored: StoredValue | null) => unknown;
}

const known = new WeakMap<EntityClass, EntityTable<object>>();

/** Returns the table of an entity, as its decorators declare it. @throws Error for a class that is no entity */
export function entityTable<Row extends object>(entity: EntityClass<Row>): EntityTable<Row> {
  const found = known.get(entity) ?? new EntityTable(entity);
  known.set(entity, found);
  return found as EntityTable<Row>;
}

/**
 * The table of an entity, for statements that are prepared once: turns rows into stored values and back. Where speed does not matter, use a
 * repository.
 */
export class EntityTable<Row extends object> {
  readonly name: string;
  readonly columns: readonly EntityColumn[];
  /** The names of the columns. */
  readonly names: readonly string[];
  /** The names of columns. */
  readonly primaryKey: readonly string[];
  /** By the names of members. */
  readonly indexes: readonly (readonly string[])[];
  /** The quoted name. */
  readonly quoted: SqlFragment;
  /** The quoted columns, in order. */
  readonly selected: SqlFragment;
  private readonly narrowed = new Map<string, EntityTable<Partial<Row>>>();

  /**
   * @param searched members whose texts are found by a part of them; the rows need a member `id`
   * @param members those of the rows beside the primary key; default: all
   */
  constructor(
    private readonly entity: EntityClass,
    readonly searched: readonly string[] = [],
    members?: readonly string[],
  ) {
    const storage = getMetadataArgsStorage();
    const classes = [entity, ...listParents(entity)];
    const [table] = storage.filterTables(entity);
    if (!table) throw new Error(`${entity.name} has no @Entity.`);
    const naming = new TableNames();
    this.name = naming.tableName(entity.name, table.name);
    const declared = storage.filterColumns(classes);
    const columns = members ? declared.filter(({ propertyName, options }) => options.primary || members.includes(propertyName)) : declared;
    this.columns = columns.map(({ propertyName: member, options }) => {
      const { type, nullable = false, primary = false, transformer } = options;
      if ((type !== 'bigint' && type !== 'text') || !transformer || Array.isArray(transformer)) {
        throw new Error(`${entity.name}.${member} needs one of columnTypes.`);
      }
      return {
        ...{ member, name: naming.columnName(member, options.name, []), type, isNullable: nullable, isPrimary: primary },
        write: (value) => transformer.to(value) as StoredValue | null,
        read: (stored) => transformer.from(stored) as unknown,
      };
    });
    this.names = this.columns.map(({ name }) => name);
    this.primaryKey = this.columns.filter(({ isPrimary }) => isPrimary).map(({ name }) => name);
    this.indexes = storage.filterIndices(classes).flatMap(({ columns }) => (Array.isArray(columns) ? [columns] : []));
    this.quoted = identifier(this.name);
    this.selected = join(this.names.map(identifier));
  }

  /** Returns the table with these members of the rows and the primary key only, for statements that need no more. */
  only(members: readonly string[]): EntityTable<Partial<Row>> {
    const name = members.join();
    const found = this.narrowed.get(name) ?? new EntityTable(this.entity, this.searched, members);
    this.narrowed.set(name, found);
    return found;
  }

  /** Returns the name of a member's column. @throws Error for a member that the rows do not have */
  columnName(member: string): string {
    return this.find(member).name;
  }

  /** Returns a member's value as it is stored. */
  store(member: string, value: unknown): StoredValue {
    const stored = this.find(member).write(value);
    if (stored === null) throw new Error(`${this.name}.${member} is compared with no value.`);
    return stored;
  }

  /** Makes a row of what a statement has selected; a member is absent where its column is NULL. */
  fromStored(stored: Readonly<Record<string, StoredValue | null>>): Row {
    const row: Record<string, unknown> = {};
    for (const { member, name, read } of this.columns) {
      const value = stored[name];
      if (value !== null && value !== undefined) row[member] = read(value);
    }
    return row as unknown as Row;
  }

  /** Returns the values of a row in the order of the columns. */
  toStored(row: Row): (StoredValue | null)[] {
    const values = row as Readonly<Record<string, unknown>>;
    return this.columns.map(({ member, write }) => write(values[member]));
  }

  /** Returns the rows of a table or query with these columns that a clause selects, such as `WHERE … ORDER BY … LIMIT …`. */
  async read(runner: SqlRunner, from: SqlFragment, clause: SqlFragment): Promise<Row[]> {
    const columns = columnsFor(runner, this.selected);
    const found = await runner.query<Record<string, StoredValue | null>>(sql`SELECT ${columns} FROM ${from} ${clause}`);
    return found.map((stored) => this.fromStored(stored));
  }

  /**
   * Inserts rows in order, many with one statement, without waiting for it.
   * @param suffix such as `ON CONFLICT ("id") DO UPDATE SET …`
   * @param into the name in the database, if it is another one
   */
  insert(
    transaction: WriteTransaction,
    rows: readonly Row[],
    { suffix, into = this.quoted }: { readonly suffix?: SqlFragment; readonly into?: SqlFragment } = {},
  ): void {
    insertRows(transaction, { table: into, columns: this.names, rows: rows.map((row) => this.toStored(row)), ...(suffix && { suffix }) });
  }

  private find(member: string): EntityColumn {
    const found = this.columns.find((each) => each.member === member);
    if (!found) throw new Error(`The rows of ${this.name} have no member ${member}.`);
    return found;
  }
}

function listParents(entity: EntityClass): EntityClass[] {
  const parent = Object.getPrototypeOf(entity) as EntityClass | null;
  return parent?.prototype ? [parent, ...listParents(parent)] : [];
}
