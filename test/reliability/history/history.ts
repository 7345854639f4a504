/** What a client saw of one request. `unknown`: no answer, or one that leaves open what became of it, where all of it or nothing has to be there. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string; readonly replayed: boolean }
  | { readonly kind: 'unknown'; readonly reason: string };

/** A request and what was seen of it; a repetition is one of its own. Times are milliseconds of one clock. */
export interface Seen {
  readonly begun: number;
  readonly ended: number;
  readonly outcome: Outcome;
}

/** Something as a client means to make it. No two that differ have one name. */
export interface Creation {
  readonly name: string;
  /** Without one it is sent once. */
  readonly idempotencyKey?: string;
  /** Whether the service has to take it; one that it must not is wrong in itself or comes with a key that another has used. */
  readonly valid: boolean;
}

export interface Addition extends Creation {
  /** Digits of an int64, or what is none. */
  readonly categoryId: string;
  readonly status?: string;
}

/** An order; its name is the note. */
export interface Ordering extends Creation {
  readonly petId: string;
}

export interface Attempt<Sent extends Creation> extends Seen {
  readonly sent: Sent;
}

/** One `GET /v1/pets/{id}`, begun after the animal had been acknowledged with the text that is expected. */
export interface ReadAttempt {
  readonly id: string;
  readonly expected: string;
  readonly outcome: Outcome;
}

/** One `POST /v1/store/orders/{orderId}/…`. */
export interface MoveAttempt extends Seen {
  readonly orderId: string;
  readonly move: 'approve' | 'deliver' | 'cancel';
}

/** Everything that clients sent and saw. */
export interface History {
  readonly adds: readonly Attempt<Addition>[];
  readonly reads?: readonly ReadAttempt[];
  readonly orders?: readonly Attempt<Ordering>[];
  readonly moves?: readonly MoveAttempt[];
}

/**
 * The attempts that a copy of the database may know of, which was made between two moments: those that were not answered when it was begun
 * may be in it or not.
 */
export function attemptsSeenBy<Attempted extends Seen>(
  attempts: readonly Attempted[],
  copyBegun: number,
  copyEnded = copyBegun,
): Attempted[] {
  return attempts
    .filter(({ begun }) => begun < copyEnded)
    .map((attempt) => (attempt.ended < copyBegun ? attempt : { ...attempt, outcome: { kind: 'unknown', reason: 'while it was copied' } }));
}

/** Whether an answer says that the request may be sent again, to be answered for good. */
export function isToBeRepeated(outcome: Outcome): boolean {
  return (
    outcome.kind === 'unknown' || (outcome.status === 409 && ['idempotency_key_in_progress', 'conflict'].includes(codeOf(outcome.text)))
  );
}

export function codeOf(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? '';
}

/** An event as it stands in the log. */
export interface StoredEvent {
  readonly position: bigint;
  readonly stream: string;
  readonly version: bigint;
  readonly type: string;
  readonly data: string;
}

/** An `Idempotency-Key` that is stored, with the events that it stands for. */
export interface StoredKey {
  readonly key: string;
  readonly firstPosition: bigint;
  readonly lastPosition: bigint;
}

/** A read model in the bodies that a client should get, ascending by id. */
export interface Told {
  /** The rows of the table. */
  readonly rows: readonly string[];
  /** The list as a client walks it by cursor. */
  readonly listed: readonly string[];
}

/** What was there when all clients had ended. */
export interface FinalState {
  /** Ascending by position. */
  readonly events: readonly StoredEvent[];
  readonly keys: readonly StoredKey[];
  readonly pets: Told;
  readonly orders: Told;
  /** What `events verify` found. */
  readonly problems: readonly string[];
}

/** The body that tells a client of an animal, byte for byte. */
export function bodyOf(id: string, { name, categoryId, status }: Omit<Addition, 'valid'>): string {
  const known = status === undefined ? '' : `,"status":${JSON.stringify(status)}`;
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${known}}`;
}

/** An order as a client is told of it. Times are RFC 3339 in UTC. */
export interface ToldOrder {
  readonly id: string;
  readonly petId: string;
  readonly status: string;
  readonly placedAt: string;
  readonly expiresAt?: string;
  readonly version: bigint;
  readonly note?: string;
}

/** The body that tells a client of an order, byte for byte. */
export function orderBodyOf({ id, petId, status, placedAt, expiresAt, version, note }: ToldOrder): string {
  const times = `"placedAt":"${placedAt}"${expiresAt === undefined ? '' : `,"expiresAt":"${expiresAt}"`}`;
  const noted = note === undefined ? '' : `,"note":${JSON.stringify(note)}`;
  return `{"id":${id},"petId":${petId},"quantity":1,"status":"${status}",${times},"version":${version}${noted}}`;
}

/** The id in such a body; undefined in any other text. */
export function idIn(text: string): string | undefined {
  return /^\{"id":(\d+),/.exec(text)?.[1];
}
