import { Injectable } from '@nestjs/common';

/** How something is that the service needs. `degraded`: it serves, with less than it should have. */
export interface HealthIndicatorResult {
  readonly state: 'ready' | 'degraded' | 'unavailable';
  /** What an operator should know of it. Without secrets. */
  readonly detail?: string;
}

/** Tells of something that the service needs to answer requests, such as its database. */
export interface HealthIndicator {
  /** Stable, lower case, such as `database`. */
  readonly name: string;
  /** Checks it now. A rejection means `unavailable`. It may take any time: nobody waits longer than a moment. */
  check(): HealthIndicatorResult | Promise<HealthIndicatorResult>;
}

/** The health indicators of all modules, which decide whether the service may get requests. */
@Injectable()
export class HealthCatalog {
  private readonly indicators = new Map<string, HealthIndicator>();

  /** @throws Error when the name is taken. */
  register(indicator: HealthIndicator): void {
    if (this.indicators.has(indicator.name)) throw new Error(`Health indicator ${indicator.name} is registered twice.`);
    this.indicators.set(indicator.name, indicator);
  }

  all(): readonly HealthIndicator[] {
    return [...this.indicators.values()];
  }
}
