import { LRUCache } from 'lru-cache';
import { fulfilledWithin } from '#libs/clock';

interface Entry<Value> {
  readonly value: Value;
  /** On the cache's own time line, in milliseconds. */
  readonly readAt: number;
}

/** Those who wait for the value of one key. */
interface Waiter<Value> {
  readonly promise: Promise<Value | undefined>;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

export interface BatchedCacheOptions<Value> {
  /** Reads the values of some keys as they are now. A key without one is left out, which is never kept. */
  readonly read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  /** Milliseconds after which a reading that has not ended is begun a second time beside the first, whose connection may be stuck. */
  readonly askAgainAfter: number;
  /** How many keys are read at once at most. */
  readonly batch: number;
  /** Milliseconds for which a value is trusted, counted from the moment its reading began. */
  readonly trustedFor: number;
  /** How many values are kept at most; the one read longest ago goes first. */
  readonly capacity: number;
  /** Milliseconds that never go backwards; the time of day might. */
  readonly elapsed: () => number;
}

/**
 * A batched cache with a time to live. There is one reading at a time; what is asked for meanwhile is read together
 * after it, in the order of asking, so that however many keys nobody has heard of, the others do not wait long.
 */
export class BatchedCache<Value> {
  private readonly entries: LRUCache<string, Entry<Value>>;
  private readonly waiting = new Map<string, Waiter<Value>>();
  private isReading = false;

  constructor(private readonly options: BatchedCacheOptions<Value>) {
    this.entries = new LRUCache({ max: options.capacity });
  }

  /** The value at once while it is trusted, else a promise of the one read from now on. */
  get(key: string): Value | Promise<Value | undefined> {
    // Not by use: what was read longest ago goes first.
    const entry = this.entries.peek(key);
    if (entry && this.options.elapsed() - entry.readAt <= this.options.trustedFor) return entry.value;
    return this.waiting.get(key)?.promise ?? this.wait(key);
  }

  /** The value that was read last, however long ago; undefined where none is kept. */
  lastKnown(key: string): Value | undefined {
    return this.entries.peek(key)?.value;
  }

  private wait(key: string): Promise<Value | undefined> {
    const waiter = createWaiter<Value>();
    this.waiting.set(key, waiter);
    if (!this.isReading) {
      this.isReading = true;
      // Those who ask in the same turn of the event loop share the reading.
      setImmediate(() => void this.readWaiting());
    }
    return waiter.promise;
  }

  private async readWaiting(): Promise<void> {
    while (this.waiting.size > 0) await this.readBatch([...this.waiting].slice(0, this.options.batch));
    this.isReading = false;
  }

  /** Takes the keys off the waiting list first: who asks from now on wants to know what is there from now on. */
  private async readBatch(batch: readonly (readonly [string, Waiter<Value>])[]): Promise<void> {
    for (const [key] of batch) this.waiting.delete(key);
    const readAt = this.options.elapsed();
    try {
      const values = await this.readTwice(batch.map(([key]) => key));
      for (const [key, { resolve }] of batch) {
        const value = values.get(key);
        this.entries.set(key, value === undefined ? undefined : { value, readAt });
        resolve(value);
      }
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
  }

  /** What the first of two readings gives that succeeds; there is a second only where the first failed or takes long. */
  private async readTwice(keys: readonly string[]): Promise<ReadonlyMap<string, Value>> {
    const first = this.options.read(keys);
    if (await fulfilledWithin(first, this.options.askAgainAfter)) return first;
    return Promise.any([first, this.options.read(keys)]).catch(() => first);
  }
}

function createWaiter<Value>(): Waiter<Value> {
  let settle: Pick<Waiter<Value>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<Value | undefined>((resolve, reject) => (settle = { resolve, reject }));
  if (!settle) throw new Error('A promise calls its executor at once.');
  return { promise, ...settle };
}
