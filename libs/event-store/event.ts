/** A new fact, not yet in the log. `data` holds JSON values only; an int64 in it is a decimal string. */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

/** Who and what caused an event. */
export interface EventMetadata {
  /** The API key's id as `api-key-7`, `cli` for the command line, `system` for the service itself. */
  readonly actor: string;
  readonly requestId?: string;
  readonly correlationId?: string;
  readonly causationId?: string;
  /** What it happened in, where that is traced or the client said so: a `traceparent` (https://www.w3.org/TR/trace-context/). */
  readonly traceparent?: string;
}

/** Where an event stands in the log, since when, and through whom. */
export interface LogEntry {
  /** Place in the log, ascending in commit order from 1. */
  readonly position: bigint;
  readonly stream: string;
  /** Place in the stream, from 1 without gaps. */
  readonly version: number;
  readonly eventId: string;
  readonly schemaVersion: number;
  readonly metadata: EventMetadata;
  /** To the millisecond. Along the log it never goes back. */
  readonly recordedAt: Date;
}

/** An event as it stands in the log, upcast to the newest schema version of its type, which tells what `data` it has. */
export type RecordedEvent<Event extends DomainEvent = DomainEvent> = Event extends DomainEvent ? LogEntry & Event : never;
