import { createHash } from 'node:crypto';
import {
  type EntityTable,
  identifier,
  join,
  raw,
  sql,
  type Dialect,
  type SqlFragment,
  type TextIndex,
  type WriteTransaction,
} from '#libs/database';
import { ApplicationError } from '#libs/observability';
import type { DomainEvent, RecordedEvent } from '../event-store/event.js';

/** Where a projection writes: its live tables, tables being rebuilt, or temporary ones for a check. */
export interface ProjectionTarget extends WriteTransaction {
  /** Returns the quoted name of the projection's table in this target. */
  table(name: string): SqlFragment;
}

/** A read model updated by events, inside the transaction that appends them. */
export interface Projection<Event extends DomainEvent = DomainEvent> {
  /** Stable name, as in `projections rebuild NAME`. */
  readonly name: string;
  /**
   * Raise it when the tables, the rules or the event types change: the next start builds the new form in tables of its own before it
   * serves, while earlier builds keep theirs.
   */
  readonly version: number;
  /** The event types that it handles; others are not given to it. */
  readonly eventTypes: readonly Event['type'][];
  /** The tables that it owns, which the library creates and rebuilds. */
  readonly tables: readonly EntityTable<object>[];
  /**
   * Applies events in ascending position, with few statements; a batch may hold thousands. Must depend only on the events and its own
   * tables.
   */
  project(events: readonly RecordedEvent<Event>[], target: ProjectionTarget): Promise<void>;
}

/** The projections of all modules. */
export class ProjectionCatalog {
  private readonly projections: ReadonlyMap<string, Projection>;

  /** @throws Error if two have the same name. */
  constructor(projections: readonly Projection[]) {
    this.projections = new Map(projections.map((projection) => [projection.name, projection]));
    if (this.projections.size < projections.length) throw new Error('Two projections have the same name.');
  }

  all(): readonly Projection[] {
    return [...this.projections.values()];
  }

  /** Whether this build works with exactly that version. */
  uses({ name, version }: Pick<Projection, 'name' | 'version'>): boolean {
    return this.projections.get(name)?.version === version;
  }

  find(name: string): Projection | undefined {
    return this.projections.get(name);
  }
}

/** A build ended early: another of the same projection has begun, or it was taken for stopped. */
export class BuildOvertakenError extends ApplicationError {
  override readonly name = 'BuildOvertakenError';

  constructor(projection: string) {
    super(
      'service_unavailable',
      `This rebuild of ${projection} was ended: another was started, or this one had made no progress for five seconds.`,
    );
  }
}

/** The tables are missing, since another build removed them, and are being built. */
export class ReadModelMissingError extends ApplicationError {
  override readonly name = 'ReadModelMissingError';

  constructor(projection: string) {
    super('service_unavailable', `The read model ${projection} is being built; try again shortly.`, { headers: { 'retry-after': '1' } });
  }
}

// PostgreSQL cuts a longer name off, so that two may become one. SQLite does not, but gets the same names.
const MAX_NAME_BYTES = 63;
const DIGEST_CHARACTERS = 12;

/** Returns a table's name in the database. It includes the projection's version, so that builds with different versions share a database. */
export function projectionTableName({ version }: Pick<Projection, 'version'>, table: string): string {
  return fitting(table, `_v${version}`);
}

/** Returns the names in the database of the tables of projections, by those of their entities. */
export function listTableNames(projections: readonly Projection[]): ReadonlyMap<string, string> {
  return new Map(projections.flatMap((each) => each.tables.map(({ name }) => [name, projectionTableName(each, name)] as const)));
}

/** Returns the name of a table while it is built by the build with this number. */
export function buildTableName(name: string, generation: number): string {
  return fitting(name, `_build_${generation}`);
}

/** Returns the name of the temporary table that is compared with a table. */
export function replayTableName(name: string): string {
  return fitting(name, '_replayed');
}

/** Returns the name of an index, which stays when the table is renamed. */
export function indexName(table: string, columns: readonly string[]): string {
  return fitting([table, ...columns].join('_'), '');
}

/** Returns the text indexes of a table, each with the name that `rename` makes of its own. */
export function listTextIndexes(table: EntityTable<object>, rename: (name: string) => string): TextIndex[] {
  const columns = table.searched.map((member) => table.columnName(member));
  return columns.map((column) => ({ name: rename(`${table.name}_${column}_parts`), table: rename(table.name), column }));
}

/** Returns the names of all live tables of a projection in the database, those of text indexes included. */
export function listLiveTables(projection: Projection, { textSearch }: Dialect): string[] {
  const toLive = (name: string) => projectionTableName(projection, name);
  const indexes = textSearch.isTable ? projection.tables.flatMap((table) => listTextIndexes(table, toLive)) : [];
  return [...projection.tables.map(({ name }) => toLive(name)), ...indexes.map(({ name }) => name)];
}

/** Whether `name` is the live table `table`, or a name of it in some build, also one of an earlier release. */
export function belongsTo(table: string, name: string): boolean {
  return name === fitting(table, /_(?:build|retired)_[1-9]\d*$/.exec(name)?.[0] ?? '');
}

/** Joins a name; a digest replaces the part that does not fit. */
function fitting(stem: string, suffix: string): string {
  if (Buffer.byteLength(stem + suffix) <= MAX_NAME_BYTES) return stem + suffix;
  const ending = `_${createHash('sha256').update(stem).digest('hex').slice(0, DIGEST_CHARACTERS)}${suffix}`;
  let beginning = '';
  for (const character of stem) {
    if (Buffer.byteLength(beginning + character + ending) > MAX_NAME_BYTES) break;
    beginning += character;
  }
  return beginning + ending;
}

/** Creates a projection's table under the name that `rename` makes of its own, with its indexes unless it is temporary. */
export async function createProjectionTable(
  runner: WriteTransaction,
  table: EntityTable<object>,
  rename: (name: string) => string,
  { temporary = false }: { readonly temporary?: boolean } = {},
): Promise<void> {
  const physicalName = rename(table.name);
  const { columnTypes } = runner.dialect;
  const columns = table.columns.map(({ name, type, isNullable }) => {
    const columnType = columnTypes[type === 'bigint' ? 'int64' : 'text'];
    return sql`${identifier(name)} ${raw(`${columnType} ${isNullable ? 'NULL' : 'NOT NULL'}`)}`;
  });
  const primaryKey = sql`PRIMARY KEY (${join(table.primaryKey.map(identifier))})`;
  await runner.query(
    sql`CREATE ${raw(temporary ? 'TEMPORARY ' : '')}TABLE ${identifier(physicalName)} (${join([...columns, primaryKey])})`,
  );
  if (temporary) return;
  for (const members of table.indexes) {
    const index = members.map((member) => table.columnName(member));
    const name = identifier(indexName(physicalName, index));
    await runner.query(sql`CREATE INDEX ${name} ON ${identifier(physicalName)} (${join(index.map(identifier))})`);
  }
  for (const index of listTextIndexes(table, rename)) {
    for (const statement of runner.dialect.textSearch.createIndex(index)) await runner.query(statement);
  }
}

/** Makes a target of a connection or transaction; `rename` turns live names of tables into those to use. */
export function createTarget(
  projection: Projection,
  transaction: WriteTransaction,
  rename: (name: string) => string = (name) => name,
): ProjectionTarget {
  return {
    dialect: transaction.dialect,
    query: (statement) => transaction.query(statement),
    execute: (statement) => transaction.execute(statement),
    table: (name) => identifier(rename(projectionTableName(projection, name))),
  };
}
