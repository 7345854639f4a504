import { Injectable } from '@nestjs/common';
import type { TimeoutSource } from './timeout-source.js';

/** The timeouts of all modules. */
@Injectable()
export class TimeoutCatalog {
  private readonly sources = new Map<string, TimeoutSource>();

  /** @throws Error when the name is taken. */
  register(source: TimeoutSource): void {
    if (this.sources.has(source.name)) throw new Error(`Timeout source ${source.name} is registered twice.`);
    this.sources.set(source.name, source);
  }

  all(): readonly TimeoutSource[] {
    return [...this.sources.values()];
  }
}
