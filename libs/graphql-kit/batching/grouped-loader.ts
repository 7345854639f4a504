import { stringifyJson } from '#libs/api-kit';
import { BatchLoader } from './batch-loader.js';

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
