/**
 * What a client saw of one request. `unknown`: no answer, or one that leaves open what became of it, where all of it or nothing has
 * to be there.
 */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string; readonly replayed: boolean }
  | { readonly kind: 'unknown'; readonly reason: string };

/** An animal as a client means to add it. No two that differ have one name. */
export interface Addition {
  readonly name: string;
  /** Digits of an int64, or what is none. */
  readonly categoryId: string;
  readonly status?: string;
  /** Without one it is sent once. */
  readonly idempotencyKey?: string;
  /** Whether the service has to take it; one that it must not is wrong in itself or comes with a key that another has used. */
  readonly valid: boolean;
}

/** One `POST /v1/pets`; a repetition is an attempt of its own. Times are milliseconds of one clock. */
export interface AddAttempt {
  readonly addition: Addition;
  readonly begun: number;
  readonly ended: number;
  readonly outcome: Outcome;
}

/** One `GET /v1/pets/{id}`, begun after the animal had been acknowledged with the text that is expected. */
export interface ReadAttempt {
  readonly id: string;
  readonly expected: string;
  readonly outcome: Outcome;
}

/** Everything that clients sent and saw. */
export interface History {
  readonly adds: readonly AddAttempt[];
  readonly reads: readonly ReadAttempt[];
}

/**
 * The attempts that a copy of the database may know of, which was made between two moments: those that were not answered when it was begun
 * may be in it or not.
 */
export function attemptsSeenBy<Attempt extends Pick<AddAttempt, 'begun' | 'ended' | 'outcome'>>(
  attempts: readonly Attempt[],
  copyBegun: number,
  copyEnded = copyBegun,
): Attempt[] {
  return attempts
    .filter(({ begun }) => begun < copyEnded)
    .map((attempt) => (attempt.ended < copyBegun ? attempt : { ...attempt, outcome: { kind: 'unknown', reason: 'while it was copied' } }));
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

/** What was there when all clients had ended. */
export interface FinalState {
  /** Ascending by position. */
  readonly events: readonly StoredEvent[];
  readonly keys: readonly StoredKey[];
  /** The rows of the animals' table as the bodies that a client should get, ascending by id. */
  readonly rows: readonly string[];
  /** The list as a client walks it by cursor, each animal in the bytes of the answer. */
  readonly listed: readonly string[];
  /** What `events verify` found. */
  readonly problems: readonly string[];
}

/** The body that tells a client of an animal, byte for byte. */
export function bodyOf(id: string, { name, categoryId, status }: Pick<Addition, 'name' | 'categoryId' | 'status'>): string {
  const known = status === undefined ? '' : `,"status":${JSON.stringify(status)}`;
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${known}}`;
}

/** The id in such a body; undefined in any other text. */
export function idIn(text: string): string | undefined {
  return /^\{"id":(\d+),/.exec(text)?.[1];
}
