import DataLoader from 'dataloader';
import { stringifyJson } from '#libs/http';

/**
 * Batches the lookups of a request: keys that its fields load under equal conditions, such as a page of the orders of many animals, are
 * read at once and once. Nothing is shared between requests.
 */
export class GroupedLoader<Condition extends object, Key, Value> {
  private readonly loaders = new WeakMap<object, Map<string, DataLoader<Key, Value | undefined>>>();

  /** @param read reads the values of distinct keys under a condition; omits keys without a value */
  constructor(private readonly read: (keys: readonly Key[], condition: Condition) => Promise<ReadonlyMap<Key, Value>>) {}

  /**
   * @param request the same object for all fields of a request
   * @param condition equal to another if both are the same JSON
   */
  load(request: object, key: Key, condition: Condition): Promise<Value | undefined> {
    const loaders = this.loaders.get(request) ?? new Map<string, DataLoader<Key, Value | undefined>>();
    this.loaders.set(request, loaders);
    const name = stringifyJson(condition);
    const loader = loaders.get(name) ?? new DataLoader((keys) => this.readInOrder(keys, condition));
    loaders.set(name, loader);
    return loader.load(key);
  }

  private async readInOrder(keys: readonly Key[], condition: Condition): Promise<(Value | undefined)[]> {
    const values = await this.read(keys, condition);
    return keys.map((key) => values.get(key));
  }
}
