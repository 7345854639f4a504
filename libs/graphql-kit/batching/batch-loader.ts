import DataLoader from 'dataloader';

/** Reads together what the fields of one request ask for in the same turn of the event loop, each key once. Keeps nothing for a later turn. */
export class BatchLoader<Key, Value> {
  private readonly loaders = new WeakMap<object, DataLoader<Key, Value | undefined>>();

  /** @param read returns the values of these distinct keys; a key without a value is left out */
  constructor(private readonly read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>) {}

  /** @throws the error of the read that includes the key */
  load(request: object, key: Key): Promise<Value | undefined> {
    let loader = this.loaders.get(request);
    if (!loader) {
      const readBatch = async (keys: readonly Key[]) => {
        const values = await this.read([...new Set(keys)]);
        return keys.map((each) => values.get(each));
      };
      loader = new DataLoader(readBatch, { cache: false, batchScheduleFn: setImmediate });
      this.loaders.set(request, loader);
    }
    return loader.load(key);
  }
}
