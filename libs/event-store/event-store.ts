import type { WriteTransaction } from '#libs/database';
import type { Evolution } from './decider.js';
import type { DomainEvent, EventMetadata, RecordedEvent } from './event.js';
import type { StreamState } from './stream-states.js';

/** `noStream`: the stream must not exist; a number: it must be at exactly that version; `any`: no check. */
export type ExpectedVersion = 'noStream' | 'any' | number;

/** A stream that does not exist yet: its id `category-N` gets the next N of the category, never used before. */
export interface NewStream {
  readonly newIn: string;
}

/** A fact to append. Its data may be made of the ids that the new streams of the same append are given, in the order of the appends. */
export interface NewEvent {
  readonly type: string;
  readonly data: object | ((newIds: readonly bigint[]) => object);
}

export interface StreamAppend {
  readonly stream: string | NewStream;
  /** Ignored for a new stream, which is always `noStream`. Where a stream is named twice, the second counts the events of the first. */
  readonly expectedVersion: ExpectedVersion;
  readonly events: readonly NewEvent[];
}

/** Makes an append happen once: the key is stored in the append's transaction. */
export interface Idempotency {
  /** Whose key it is, such as the id of an API key. */
  readonly scope: string;
  readonly key: string;
  /** A digest of the request's values; a repeat with another one is refused. */
  readonly fingerprint: string;
}

/** Whose key a request names, before its values are known. */
export type RequestIdempotency = Omit<Idempotency, 'fingerprint'>;

export interface AppendOptions {
  readonly metadata: EventMetadata;
  readonly idempotency?: Idempotency;
  /** Further writes that commit with the events or not at all. */
  readonly withinTransaction?: (transaction: WriteTransaction, events: readonly RecordedEvent[]) => Promise<void>;
}

export interface AppendResult {
  /** In the order of the appends. For a replay, the events that the first request recorded. */
  readonly events: readonly RecordedEvent[];
  /** True when the idempotency key was already stored and nothing was appended now. */
  readonly replayed: boolean;
}

export interface ReadAllOptions {
  /** Only events after this position. Default 0: from the start. */
  readonly after?: bigint | undefined;
  readonly limit: number;
  readonly stream?: string;
  /** Only events of these types; of all when left out. */
  readonly types?: readonly string[];
}

/** A part of one stream. */
export interface StreamPart {
  readonly stream: string;
  /** Only events of later versions than this; 0 for all from the first one on. */
  readonly after: number;
  /** The version of the last event. */
  readonly until: number;
}

export interface NewestOptions {
  readonly limit: number;
  /** Only events of this stream. */
  readonly stream?: string | undefined;
  readonly type?: string | undefined;
}

/** A part of a stream. Versions of a stream have no gaps, so that the version of the last event of a page is where the next one begins. */
export interface HistoryPage {
  readonly limit: number;
  /** Default `oldest`. */
  readonly first?: 'oldest' | 'newest';
  /** Only events that follow the one with this version, in the order of the page. */
  readonly after?: number | undefined;
  /** Only events up to this moment, that millisecond included. */
  readonly until?: Date | undefined;
}

/** The log of all facts. Order of positions is order of commits; what is acknowledged is durable. */
export abstract class EventStore {
  /**
   * Appends to several streams in one transaction, all or nothing. Calls that arrive together share one commit;
   * each has its own result.
   * @throws ConcurrencyError when a stream is not at its expected version.
   * @throws IdempotencyKeyReusedError, IdempotencyKeyInProgressError
   * @throws DatabaseUnavailableError
   */
  abstract append(appends: readonly StreamAppend[], options: AppendOptions): Promise<AppendResult>;

  /**
   * What an append with this key would give back without appending anything: the events of the first request with it, undefined where
   * there was none. For a request whose values are refused now, though they were not the first time.
   * @throws IdempotencyKeyReusedError
   */
  abstract findReplay(idempotency: Idempotency): Promise<AppendResult | undefined>;

  /**
   * The state of a stream as it is now, at the cost of the events since it was last read, however long the stream is. One without events
   * is in the decider's initial state. States are shared by all who read them, so neither `evolve` nor a caller may change one.
   */
  abstract readState<State, Event extends DomainEvent>(decider: Evolution<State, Event>, stream: string): Promise<StreamState<State>>;

  /** The events of one stream in order; empty where there is none. */
  abstract readStream(stream: string): Promise<RecordedEvent[]>;

  /** The events of these streams, ascending by position, with one statement for all of them. */
  abstract readStreams(streams: readonly string[]): Promise<RecordedEvent[]>;

  /** The events of these parts of streams, of 100 at most, ascending by position, with one statement at the cost of those that it gives. */
  abstract readParts(parts: readonly StreamPart[]): Promise<RecordedEvent[]>;

  /** The same page of each of these streams, with one statement, at the cost of the events that it gives. */
  abstract readHistories(streams: readonly string[], page: HistoryPage): Promise<RecordedEvent[]>;

  /** Events of all streams, ascending by position, at the cost of those that it gives. */
  abstract readAll(options: ReadAllOptions): Promise<RecordedEvent[]>;

  /** The newest events, the newest first, at the cost of those that it gives. */
  abstract readNewest(options: NewestOptions): Promise<RecordedEvent[]>;

  /** How many events of these types there are behind one position and up to another. */
  abstract count(range: { readonly types: readonly string[]; readonly after: bigint; readonly until: bigint }): Promise<bigint>;

  /** How many positions were given out behind one and up to another. */
  abstract countPositions(range: { readonly after: bigint; readonly until: bigint }): Promise<bigint>;

  /** The position of the newest committed event, 0 for an empty log. */
  abstract lastPosition(): Promise<bigint>;

  /**
   * Has `listener` called soon after this instance has committed events. What others commit is not announced: who follows the log looks
   * at it from time to time too.
   * @returns a function that ends it
   */
  abstract onCommit(listener: () => void): () => void;
}
