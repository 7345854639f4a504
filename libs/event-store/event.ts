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
}

/** An event as it stands in the log, upcast to the newest schema version of its type. */
export interface RecordedEvent<Event extends DomainEvent = DomainEvent> {
  /** Place in the log, ascending in commit order from 1. */
  readonly position: bigint;
  readonly stream: string;
  /** Place in the stream, from 1 without gaps. */
  readonly version: number;
  readonly eventId: string;
  readonly type: Event['type'];
  readonly schemaVersion: number;
  readonly data: Event['data'];
  readonly metadata: EventMetadata;
  /** To the millisecond. Along the log it never goes back. */
  readonly recordedAt: Date;
}
