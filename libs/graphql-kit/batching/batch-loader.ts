import { stringifyJson } from '#libs/api-kit';

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

/** Reads together what is asked for at once under the same condition, such as one page of the orders of many animals. */
export class GroupedLoader<Condition extends object, Key, Value> {
  private readonly loaders = new WeakMap<object, Map<string, BatchLoader<Key, Value>>>();

  /** @param read the values of these distinct keys under a condition; a key it leaves out has none */
  constructor(private readonly read: (keys: readonly Key[], condition: Condition) => Promise<ReadonlyMap<Key, Value>>) {}

  /**
   * @param request what stands for the request, the same object for all of its fields
   * @param condition equal to another where both are the same JSON
   */
  load(request: object, key: Key, condition: Condition): Promise<Value | undefined> {
    const ofRequest = this.loaders.get(request) ?? new Map<string, BatchLoader<Key, Value>>();
    this.loaders.set(request, ofRequest);
    const name = stringifyJson(condition);
    const loader = ofRequest.get(name) ?? new BatchLoader((keys) => this.read(keys, condition));
    ofRequest.set(name, loader);
    return loader.load(request, key);
  }
}
