interface Batch<Key, Value> {
  readonly keys: Set<Key>;
  readonly values: Promise<ReadonlyMap<Key, Value>>;
}

/**
 * Reads what many fields of one request ask for at once: all keys asked for in the same turn of the event loop become one
 * reading. Nothing is kept for a later turn or shared with another request.
 */
export class BatchLoader<Key, Value> {
  private readonly open = new WeakMap<object, Batch<Key, Value>>();

  /** @param read the values of these distinct keys; a key it leaves out has none */
  constructor(private readonly read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>) {}

  /** @param request what stands for the request, the same object for all of its fields */
  async load(request: object, key: Key): Promise<Value | undefined> {
    const batch = this.open.get(request) ?? this.begin(request);
    batch.keys.add(key);
    return (await batch.values).get(key);
  }

  private begin(request: object): Batch<Key, Value> {
    const keys = new Set<Key>();
    const values = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.open.delete(request);
      return this.read([...keys]);
    });
    const batch = { keys, values };
    this.open.set(request, batch);
    return batch;
  }
}
