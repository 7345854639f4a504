/** A map in the order of last use that forgets what was used longest ago when it is full. */
export class BoundedMap<Value> {
  private readonly entries = new Map<string, Value>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.entries.size;
  }

  /** The value without counting as use. */
  peek(key: string): Value | undefined {
    return this.entries.get(key);
  }

  /** The value, made anew where there is none; it becomes the last used. */
  use(key: string, create: () => Value): Value {
    const value = this.entries.get(key) ?? create();
    this.put(key, value);
    return value;
  }

  /** Sets a value; it becomes the last used. */
  put(key: string, value: Value): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.capacity) this.forgetOldest();
  }

  /** Forgets, from the one used longest ago on, all up to the first that is still needed. */
  sweep(isOver: (value: Value) => boolean): void {
    for (const [key, value] of this.entries) {
      if (!isOver(value)) return;
      this.entries.delete(key);
    }
  }

  private forgetOldest(): void {
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }
}
