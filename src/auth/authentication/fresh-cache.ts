interface Entry<Value> {
  readonly value: Value;
  /** On the cache's own time line, in milliseconds. */
  readonly readAt: number;
}

export interface FreshCacheOptions<Value> {
  /** Reads the value as it is now; undefined where there is none, which is never kept. */
  readonly read: (key: string) => Promise<Value | undefined>;
  /** Milliseconds for which a value is trusted, counted from the moment its reading began. */
  readonly trustedFor: number;
  /** How many values are kept at most; the one read longest ago goes first. */
  readonly capacity: number;
  /** Milliseconds that never go backwards; the time of day might. */
  readonly elapsed: () => number;
}

/** Keeps what was read for a short while. Callers that ask for the same key at the same time share one reading. */
export class FreshCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private readonly readings = new Map<string, Promise<Value | undefined>>();

  constructor(private readonly options: FreshCacheOptions<Value>) {}

  /** The value at once while it is trusted, else a promise of the one read anew. */
  get(key: string): Value | Promise<Value | undefined> {
    const entry = this.entries.get(key);
    if (entry && this.options.elapsed() - entry.readAt <= this.options.trustedFor) return entry.value;
    return this.readings.get(key) ?? this.startReading(key);
  }

  private startReading(key: string): Promise<Value | undefined> {
    const reading = this.readAndKeep(key).finally(() => this.readings.delete(key));
    this.readings.set(key, reading);
    return reading;
  }

  private async readAndKeep(key: string): Promise<Value | undefined> {
    const readAt = this.options.elapsed();
    const value = await this.options.read(key);
    this.entries.delete(key);
    if (value !== undefined) this.keep(key, { value, readAt });
    return value;
  }

  private keep(key: string, entry: Entry<Value>): void {
    this.entries.set(key, entry);
    if (this.entries.size <= this.options.capacity) return;
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }
}
