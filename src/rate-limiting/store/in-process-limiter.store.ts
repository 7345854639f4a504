import { LRUCache } from 'lru-cache';
import { mergeRecordedBan, isBanned, type BanRules } from '../domain/bans.js';
import {
  decideForAddress,
  decideForKey,
  inspectAddress,
  inspectKey,
  newKeyCounts,
  type Allowance,
  type Decision,
  type KeyCounts,
} from '../domain/decision.js';
import { areHitsOver, decideForRoute, newRouteHits, type RouteDecision, type RouteHits, type RouteLimit } from '../domain/route-hits.js';
import { adoptCounts, dayOf, newWindowCounts, type WindowCounts } from '../domain/windows.js';
import { LimiterStore, type AddressSubject, type KeySubject, type Subject } from './limiter.store.js';

// About 30 MB each at the most; beyond it, who was heard of longest ago starts afresh.
const MOST_ADDRESSES = 100_000;
const MOST_ROUTE_HITS = 100_000;

/** What is kept of a key, by its id. */
export type KeyCountsEntry = readonly [keyId: bigint, counts: KeyCounts];

/** Counts in the memory of this process: at once, without a promise, a timer or a write for each request. */
export class InProcessLimiterStore extends LimiterStore {
  private readonly keys = new Map<bigint, KeyCounts>();
  private readonly addresses = latestUsed<WindowCounts>(MOST_ADDRESSES);
  private readonly routeHits = latestUsed<RouteHits>(MOST_ROUTE_HITS);
  private readonly changed = new Set<bigint>();

  constructor(private readonly banRules: BanRules) {
    super();
  }

  decide(subject: Subject, now: number): Decision {
    if ('address' in subject) return decideForAddress(getOrCreate(this.addresses, subject.address, newWindowCounts), subject.limits, now);
    return this.decideForKey(subject, now);
  }

  inspect(subject: Subject, now: number): Allowance {
    if ('address' in subject) return inspectAddress(this.addresses.peek(subject.address) ?? newWindowCounts(), subject.limits, now);
    return inspectKey(this.keys.get(subject.keyId) ?? newKeyCounts(), subject, now);
  }

  hit(name: string, limit: RouteLimit, now: number): RouteDecision {
    return decideForRoute(getOrCreate(this.routeHits, name, newRouteHits), limit, now);
  }

  /** What is counted of a caller, who may never have been heard of. The counts are live. */
  peek(subject: Pick<KeySubject, 'keyId'> | Pick<AddressSubject, 'address'>): (WindowCounts & Partial<KeyCounts>) | undefined {
    return 'address' in subject ? this.addresses.peek(subject.address) : this.keys.get(subject.keyId);
  }

  /** Goes on from what another store counted when it made a decision. */
  remember(subject: Subject, counts: KeyCounts, decision: Decision): void {
    if ('address' in subject) {
      const { conduct, ...windows } = counts;
      this.addresses.set(subject.address, windows);
      return;
    }
    this.keys.set(subject.keyId, counts);
    this.noteChange(subject.keyId, decision);
  }

  rememberHits(name: string, hits: RouteHits): void {
    this.routeHits.set(name, hits);
  }

  /** Takes over what another instance knows of a key to be further on than what this one knows. */
  learn(keyId: bigint, told: KeyCounts): void {
    const counts = getOrCreate(this.keys, keyId, newKeyCounts);
    adoptCounts(counts, told);
    const { bannedUntil: until, banStep: step, unbans } = told.conduct;
    mergeRecordedBan(counts.conduct, { until, step, unbans });
  }

  /** Puts back what an earlier process kept of keys. */
  restore(entries: Iterable<KeyCountsEntry>): void {
    for (const [keyId, counts] of entries) this.keys.set(keyId, counts);
  }

  /** The keys whose counts have changed since the last call. The counts are live: read them at once. */
  takeChanged(): KeyCountsEntry[] {
    const entries = [...this.changed].flatMap((keyId): KeyCountsEntry[] => {
      const counts = this.keys.get(keyId);
      return counts ? [[keyId, counts]] : [];
    });
    this.changed.clear();
    return entries;
  }

  /** Makes these keys count as changed again. */
  giveBack(keyIds: Iterable<bigint>): void {
    for (const keyId of keyIds) this.changed.add(keyId);
  }

  /** How many keys and addresses there are counts of. */
  get tracked(): { readonly keys: number; readonly addresses: number } {
    return { keys: this.keys.size, addresses: this.addresses.size };
  }

  /** Drops what says nothing any more: counts of earlier days, and hits whose window is over. */
  sweep(now: number): void {
    const today = dayOf(now);
    evictExpired(this.addresses, ({ day }) => day < today);
    evictExpired(this.routeHits, (hits) => areHitsOver(hits, now));
    for (const [keyId, { day, conduct }] of this.keys) {
      if (day < today && !isBanned(conduct, now) && !this.changed.has(keyId)) this.keys.delete(keyId);
    }
  }

  private decideForKey(subject: KeySubject, now: number): Decision {
    const decision = decideForKey(getOrCreate(this.keys, subject.keyId, newKeyCounts), subject, this.banRules, now);
    this.noteChange(subject.keyId, decision);
    return decision;
  }

  /** A request during a ban changes nothing. */
  private noteChange(keyId: bigint, { outcome, newBan }: Decision): void {
    if (outcome !== 'banned' || newBan) this.changed.add(keyId);
  }
}

/** Bounded by a size of one each: with `max`, room for all is taken at once, which cost a start 30 ms. */
function latestUsed<Counts extends object>(most: number): LRUCache<string, Counts> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}

interface CountsByName<Name, Counts> {
  get(name: Name): Counts | undefined;
  set(name: Name, counts: NoInfer<Counts>): unknown;
}

/** The counts of a caller, begun where there are none; where there is an order of use they become the last. */
function getOrCreate<Name, Counts>(all: CountsByName<Name, Counts>, name: Name, begin: () => Counts): Counts {
  const known = all.get(name);
  if (known) return known;
  const counts = begin();
  all.set(name, counts);
  return counts;
}

/** Forgets, from those used longest ago on, all up to the first that are still needed. */
function evictExpired<Counts extends object>(cache: LRUCache<string, Counts>, isOver: (counts: Counts) => boolean): void {
  for (const name of cache.rkeys()) {
    const counts = cache.peek(name);
    if (counts && !isOver(counts)) return;
    cache.delete(name);
  }
}
