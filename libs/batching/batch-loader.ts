interface Batch<Key, Value> {
  readonly keys: Set<Key>;
  readonly values: Promise<ReadonlyMap<Key, Value>>;
}

/**
 * Reads at once what many ask for on behalf of one owner, such as the fields of a request or the commands of a store: all keys asked for in
 * the same turn of the event loop become one reading. Nothing is kept for a later turn or shared with another owner, so what was
 * written before a key is asked for is in its value.
 */
export class BatchLoader<Key, Value> {
  private readonly open = new WeakMap<object, Batch<Key, Value>>();

  /** @param read the values of these distinct keys; a key it leaves out has none */
  constructor(private readonly read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>) {}

  /** @throws what the reading throws that the key became part of */
  async load(owner: object, key: Key): Promise<Value | undefined> {
    const batch = this.open.get(owner) ?? this.begin(owner);
    batch.keys.add(key);
    return (await batch.values).get(key);
  }

  private begin(owner: object): Batch<Key, Value> {
    const keys = new Set<Key>();
    const values = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.open.delete(owner);
      return this.read([...keys]);
    });
    const batch = { keys, values };
    this.open.set(owner, batch);
    return batch;
  }
}
