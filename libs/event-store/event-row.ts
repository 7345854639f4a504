import { insertRows, raw, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import type { EventMetadata, RecordedEvent } from './event.js';
import type { EventRegistry } from './event-registry.js';

/** A row of the log as a driver gives it: integers as bigint or string. */
export interface StoredEvent {
  readonly position: bigint | string;
  readonly stream_id: string;
  readonly stream_version: bigint | string;
  readonly event_id: string;
  readonly type: string;
  readonly schema_version: bigint | string;
  readonly data: string;
  readonly metadata: string;
  readonly recorded_at: bigint | string;
}

export const EVENT_COLUMNS = [
  'position',
  'stream_id',
  'stream_version',
  'event_id',
  'type',
  'schema_version',
  'data',
  'metadata',
  'recorded_at',
] as const satisfies readonly (keyof StoredEvent)[];

export const eventColumns = raw(EVENT_COLUMNS.map((column) => `"${column}"`).join(', '));
export const eventsTable = raw('"events"');

/** The events that a condition selects, in the order that it asks for. `condition` begins with JOIN, WHERE or ORDER BY. */
export async function selectEvents(runner: SqlRunner, registry: EventRegistry, condition: SqlFragment): Promise<RecordedEvent[]> {
  const rows = await runner.query<StoredEvent>(sql`SELECT ${eventColumns} FROM ${eventsTable} ${condition}`);
  const readMetadata = rememberingLast((text: string) => JSON.parse(text) as EventMetadata);
  return rows.map((row) => toRecordedEvent(row, registry, readMetadata));
}

/** The event of a row, upcast to the newest schema version that this build knows. */
function toRecordedEvent(row: StoredEvent, registry: EventRegistry, readMetadata: (text: string) => EventMetadata): RecordedEvent {
  const { schemaVersion, data } = registry.upcast(row.type, Number(row.schema_version), JSON.parse(row.data) as object);
  return {
    position: BigInt(row.position),
    stream: row.stream_id,
    version: Number(row.stream_version),
    eventId: row.event_id,
    type: row.type,
    schemaVersion,
    data,
    metadata: readMetadata(row.metadata),
    recordedAt: new Date(Number(row.recorded_at)),
  };
}

/** Writes events to the log in the order of their positions. */
export async function insertEvents(runner: SqlRunner, events: readonly RecordedEvent[]): Promise<void> {
  const writeMetadata = rememberingLast((metadata: EventMetadata) => JSON.stringify(metadata));
  const rows = events.map((event) => [
    event.position,
    event.stream,
    event.version,
    event.eventId,
    event.type,
    event.schemaVersion,
    JSON.stringify(event.data),
    writeMetadata(event.metadata),
    event.recordedAt.getTime(),
  ]);
  await insertRows(runner, { table: eventsTable, columns: EVENT_COLUMNS, rows });
}

/** Neighbouring events often have one metadata: those of an import all do. */
function rememberingLast<Source, Result>(convert: (source: Source) => Result): (source: Source) => Result {
  let last: { readonly source: Source; readonly result: Result } | undefined;
  return (source) => {
    if (last?.source !== source) last = { source, result: convert(source) };
    return last.result;
  };
}
