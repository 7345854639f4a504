export interface CallOptions {
  /** Ends the call at once, also while it waits; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface MatchOptions extends CallOptions {
  /** Is refused with 412 unless this entity tag holds. */
  readonly ifMatch: string;
}

export interface NoneMatchOptions extends CallOptions {
  /** Gives undefined while this entity tag holds. */
  readonly ifNoneMatch: string;
}

export interface AddOptions extends CallOptions {
  /** Makes it the same addition, however often it is sent; a random one unless given. */
  readonly idempotencyKey: string;
}

/** What changes the meaning of a request, so that it must not be lost on the way. */
export interface Conditions {
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly idempotencyKey?: string;
}

/** Marks in types what came with an entity tag. Nothing of it is there at run time. */
declare const tagged: unique symbol;

/** A result that came with an entity tag. */
export type Tagged<Result> = Result & { readonly [tagged]?: true };

const HEADERS = { ifMatch: 'If-Match', ifNoneMatch: 'If-None-Match', idempotencyKey: 'Idempotency-Key' } as const;
const NO_TAG = 'Items of a list and events have no entity tag: get the animal, order, endpoint or key by its id first.';

const etags = new WeakMap<object, string>();

/**
 * The entity tag with which a result came, for `ifMatch` and `ifNoneMatch`.
 * Undefined for items of a list, for events, for what `pets.add`, `webhooks.add` and `keys.issue` give, and for keys with a new secret.
 */
export function etagOf<Result extends object>(result: Result): typeof tagged extends keyof Result ? string : string | undefined {
  // The type holds for whatever the service sends with an entity tag. A proxy that takes it away is noticed by `conditionHeaders`.
  return etags.get(result) as typeof tagged extends keyof Result ? string : string | undefined;
}

export function rememberEtag(result: unknown, headers: Headers): void {
  const etag = headers.get('ETag');
  if (etag !== null && typeof result === 'object' && result !== null) etags.set(result, etag);
}

/**
 * The headers of the given conditions.
 * @throws TypeError for a given one that is not a string: without it the request would mean something else
 */
export function conditionHeaders(conditions: Conditions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, header] of Object.entries(HEADERS) as [keyof Conditions, string][]) {
    if (!(name in conditions)) continue;
    const value: unknown = conditions[name];
    if (typeof value !== 'string' || value === '') throw new TypeError(faultOf(name, value));
    headers[header] = value;
  }
  return headers;
}

function faultOf(name: keyof Conditions, value: unknown): string {
  const given = value === '' ? 'an empty string' : String(value);
  return `${name} must be a non-empty string; it is ${given}. ${name === 'idempotencyKey' ? 'Omit it to have one made.' : NO_TAG}`;
}
