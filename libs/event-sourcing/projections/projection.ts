import type { DomainEvent, RecordedEvent } from '../event-store/event.js';
import type { SqlFragment, SqlRunner } from '#libs/database';
import { ApplicationError } from '#libs/observability';

type ProjectionColumnType = 'int64' | 'text';

export interface ProjectionColumn {
  readonly type: ProjectionColumnType;
  /** Default false: NOT NULL. */
  readonly nullable?: boolean;
}

/** A table that a projection owns; the library creates and rebuilds it. */
export interface ProjectionTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, ProjectionColumn>>;
  readonly primaryKey: readonly string[];
  readonly indexes?: readonly (readonly string[])[];
}

/** Where a projection writes: its live tables, tables being rebuilt, or temporary ones for a check. */
export interface ProjectionTarget extends SqlRunner {
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
  readonly tables: readonly ProjectionTable[];
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
      `This rebuild of ${projection} was ended: another was started, or this one had not gone on for five seconds.`,
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
