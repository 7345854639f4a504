import { LRUCache } from 'lru-cache';
import {
  toDay,
  decide,
  inspect,
  mergeCounts,
  newCounts,
  type BanRules,
  type Counts,
  type Decision,
  type LimitStatus,
} from '../domain/decision.js';
import { areHitsOver, decideForRoute, newRouteHits, type RouteDecision, type RouteHits, type RouteLimit } from '../domain/route-hits.js';
import { LimiterStore, type AddressSubject, type KeySubject, type Subject } from './limiter.store.js';

// About 35 MB each at most; beyond that the least recently used is evicted.
const MOST_ADDRESSES = 100_000;
const MOST_ROUTE_HITS = 100_000;

export type KeyCountsEntry = readonly [keyId: bigint, counts: Counts];

/** Counts in the memory of this process, without a promise, a timer or a write for each request. */
export class InProcessLimiterStore extends LimiterStore {
  readonly counting = 'in-process';
  private readonly keys = new Map<bigint, Counts>();
  private readonly addresses = createCache<Counts>(MOST_ADDRESSES);
  private readonly routeHits = createCache<RouteHits>(MOST_ROUTE_HITS);
  /** Called with the live counts of a key when they have changed. */
  onChange: (keyId: bigint, counts: Counts) => void = () => undefined;

  constructor(private readonly banRules: BanRules) {
    super();
  }

  decide(subject: Subject, now: number): Decision {
    const counts =
      'keyId' in subject ? getOrCreate(this.keys, subject.keyId, newCounts) : getOrCreate(this.addresses, subject.address, newCounts);
    const decision = decide(counts, subject, this.banRules, now);
    this.noteChange(subject, counts, decision);
    return decision;
  }

  inspect(subject: Subject, now: number): LimitStatus {
    return inspect(this.peek(subject) ?? newCounts(), subject, now);
  }

  hit(name: string, limit: RouteLimit, now: number): RouteDecision {
    return decideForRoute(getOrCreate(this.routeHits, name, newRouteHits), limit, now);
  }

  /** Returns the live counts of a caller; undefined for an unknown one. */
  peek(subject: Pick<KeySubject, 'keyId'> | Pick<AddressSubject, 'address'>): Counts | undefined {
    return 'keyId' in subject ? this.keys.get(subject.keyId) : this.addresses.peek(subject.address);
  }

  /** Stores the counts that another store had after its decision. */
  remember(subject: Subject, counts: Counts, decision: Decision): void {
    if ('keyId' in subject) this.keys.set(subject.keyId, counts);
    else this.addresses.set(subject.address, counts);
    this.noteChange(subject, counts, decision);
  }

  rememberHits(name: string, hits: RouteHits): void {
    this.routeHits.set(name, hits);
  }

  /** Takes over what another instance knows of a key if it is further on. */
  merge(keyId: bigint, counts: Counts): void {
    mergeCounts(getOrCreate(this.keys, keyId, newCounts), counts);
  }

  /** Restores the counts of keys that an earlier process saved. */
  restore(entries: Iterable<KeyCountsEntry>): void {
    for (const [keyId, counts] of entries) this.keys.set(keyId, counts);
  }

  get tracked(): { readonly keys: number; readonly addresses: number } {
    return { keys: this.keys.size, addresses: this.addresses.size };
  }

  /** Evicts counts of earlier days, and hits whose window is over. */
  sweep(now: number): void {
    const today = toDay(now);
    evictExpired(this.addresses, ({ day }) => day < today);
    evictExpired(this.routeHits, (hits) => areHitsOver(hits, now));
    for (const [keyId, { day, bannedUntil }] of this.keys) {
      if (day < today && now >= bannedUntil) this.keys.delete(keyId);
    }
  }

  /** A request during a ban changes nothing. */
  private noteChange(subject: Subject, counts: Counts, { outcome, newBan }: Decision): void {
    if ('keyId' in subject && (outcome !== 'banned' || newBan)) this.onChange(subject.keyId, counts);
  }
}

/** Bounded by a size of 1 each: `max` would allocate all entries at once, which takes 30 ms of a start. */
function createCache<Value extends object>(most: number): LRUCache<string, Value> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}

interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: NoInfer<Value>): unknown;
}

function getOrCreate<Key, Value>(cache: Cache<Key, Value>, key: Key, create: () => Value): Value {
  const known = cache.get(key);
  if (known) return known;
  const value = create();
  cache.set(key, value);
  return value;
}

/** Evicts from the least recently used entry up to the first that is not over. */
function evictExpired<Value extends object>(cache: LRUCache<string, Value>, isOver: (value: Value) => boolean): void {
  for (const name of cache.rkeys()) {
    const value = cache.peek(name);
    if (value && !isOver(value)) return;
    cache.delete(name);
  }
}
