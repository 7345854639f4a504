import { Injectable } from '@nestjs/common';

/** Timeouts of one kind, such as orders that expire. A module registers it with the `TimeoutCatalog`. */
export interface TimeoutSource {
  /** Stable, lower case, such as `order-expiry`. */
  readonly name: string;
  /**
   * Returns the ids of the timeouts whose time is not after `now`, the oldest first, at most `limit`. Called every second, so it must
   * cost next to nothing if there are none.
   */
  due(now: Date, limit: number): Promise<readonly bigint[]>;
  /** Returns the earliest time that has not fired yet, past or future. */
  oldestDue(): Promise<Date | undefined>;
  /**
   * Issues the command of a timeout, after which `due` no longer returns it. Idempotent: it may be called again after the timeout has
   * fired, even at the same time by another instance. If it rejects, it is tried again.
   */
  fire(id: bigint): Promise<void>;
}

/** The timeouts of all modules. */
@Injectable()
export class TimeoutCatalog {
  private readonly sources = new Map<string, TimeoutSource>();

  /** @throws Error if the name is taken. */
  register(source: TimeoutSource): void {
    if (this.sources.has(source.name)) throw new Error(`Timeout source ${source.name} is registered twice.`);
    this.sources.set(source.name, source);
  }

  all(): readonly TimeoutSource[] {
    return [...this.sources.values()];
  }
}
