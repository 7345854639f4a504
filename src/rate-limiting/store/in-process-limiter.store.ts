import { LRUCache } from 'lru-cache';
import {
  areCountsOver,
  decide,
  inspect,
  mergeCounts,
  newCounts,
  type Counts,
  type Decision,
  type LimitStatus,
} from '../domain/decision.js';
import { LimiterStore, type AddressSubject, type KeySubject, type Subject } from './limiter.store.js';

// About 35 MB at most; beyond that the least recently used is evicted.
const MOST_COUNTED = 100_000;

export type KeyCountsEntry = readonly [keyId: bigint, counts: Counts];

/** Counts in the memory of this process, without a promise, a timer or a write for each request. */
export class InProcessLimiterStore extends LimiterStore {
  readonly counting = 'in-process';
  private readonly keys = new Map<bigint, Counts>();
  /** Bounded by a size of 1 each: `max` would allocate all entries at once, which takes 30 ms of a start. */
  private readonly addresses = new LRUCache<string, Counts>({ maxSize: MOST_COUNTED, sizeCalculation: () => 1 });
  /** Called with the live counts of a key when they have changed. */
  onChange: (keyId: bigint, counts: Counts) => void = () => undefined;

  decide(subject: Subject, now: number): Decision {
    const counts = this.peek(subject) ?? newCounts(subject.windows);
    const decision = decide(counts, subject, now);
    this.remember(subject, counts, decision);
    return decision;
  }

  inspect(subject: Subject, now: number): LimitStatus {
    return inspect(this.peek(subject) ?? newCounts(subject.windows), subject, now);
  }

  /** Returns the live counts of a caller; undefined for an unknown one. */
  peek(subject: Pick<KeySubject, 'keyId'> | AddressSubject): Counts | undefined {
    return 'keyId' in subject ? this.keys.get(subject.keyId) : this.addresses.peek(subject.address);
  }

  /** Stores the counts of a caller after a decision; a request during a ban has changed nothing of them. */
  remember(subject: Subject, counts: Counts, { outcome, newBan }: Decision): void {
    if ('address' in subject) this.addresses.set(subject.address, counts);
    else {
      this.keys.set(subject.keyId, counts);
      if (outcome !== 'banned' || newBan) this.onChange(subject.keyId, counts);
    }
  }

  /** Takes over what others know of keys, or what an earlier process has saved of them, if it is further on. */
  merge(entries: Iterable<KeyCountsEntry>): void {
    for (const [keyId, counts] of entries) {
      const known = this.keys.get(keyId);
      if (known) mergeCounts(known, counts);
      else this.keys.set(keyId, counts);
    }
  }

  get tracked(): { readonly keys: number; readonly addresses: number } {
    return { keys: this.keys.size, addresses: this.addresses.size };
  }

  /** Evicts counts whose windows are over: of addresses from the least recently used one up to the first that is not over. */
  sweep(now: number): void {
    for (const [keyId, counts] of this.keys) if (areCountsOver(counts, now)) this.keys.delete(keyId);
    for (const name of this.addresses.rkeys()) {
      const counts = this.addresses.peek(name);
      if (counts && !areCountsOver(counts, now)) break;
      this.addresses.delete(name);
    }
  }
}
