/** What only time causes, of one kind, such as orders that expire. A module registers it with the `TimeoutCatalog`. */
export interface TimeoutSource {
  /** Stable, lower case, such as `order-expiry`. */
  readonly name: string;
  /**
   * The ids of the timeouts whose time is not after `now`, the oldest first, `limit` at the most. Asked every second, so that it must
   * cost next to nothing where there are none.
   */
  due(now: Date, limit: number): Promise<readonly bigint[]>;
  /** The earliest time that is still to fire, whether it has come or not. */
  oldestDue(): Promise<Date | undefined>;
  /**
   * Issues the command of a timeout, after which `due` no longer gives it. Idempotent: it may be called again for what has fired, also at
   * the same time by another instance. A rejection means that it is to be tried again.
   */
  fire(id: bigint): Promise<void>;
}
