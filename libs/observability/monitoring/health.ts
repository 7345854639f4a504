import { Injectable } from '@nestjs/common';
import { CachedReading } from './cached-reading.js';

/** The state of something that the service needs. `degraded`: it serves, with less than it should have. */
export interface HealthIndicatorResult {
  readonly state: 'ready' | 'degraded' | 'unavailable';
  /** For operators, without secrets. */
  readonly detail?: string;
}

/** Checks something that the service needs to answer requests, such as its database. */
export interface HealthIndicator {
  /** Stable, lower case, such as `database`. */
  readonly name: string;
  /** Checks now. A rejection means `unavailable`. It may take any time: `Health` waits 800 ms at most. */
  check(): HealthIndicatorResult | Promise<HealthIndicatorResult>;
}

/** Whether the service may get requests, and what each of its health indicators says. */
export interface HealthReport {
  readonly status: 'ready' | 'unavailable';
  /** The service is ending and finishes what it has begun. */
  readonly draining: boolean;
  readonly parts: Readonly<Record<string, HealthIndicatorResult>>;
}

// Probes of many watchers cost the database no more than two checks in a second.
const READING = { maxAge: 500, maxWaitMilliseconds: 800 };
const NO_ANSWER: HealthIndicatorResult = { state: 'unavailable', detail: `no answer within ${READING.maxWaitMilliseconds} ms` };

/** The health indicators of all modules. Reports whether the service is ready, within a second whatever its indicators do. */
@Injectable()
export class Health {
  private readonly indicators = new Map<string, CachedReading<HealthIndicatorResult>>();
  private isDraining = false;

  /** @throws Error if the name is taken */
  register(indicator: HealthIndicator): void {
    if (this.indicators.has(indicator.name)) throw new Error(`Health indicator ${indicator.name} is registered twice.`);
    this.indicators.set(indicator.name, new CachedReading(() => checkNow(indicator), READING));
  }

  /** Makes the service permanently not ready. */
  drain(): void {
    this.isDraining = true;
  }

  /** Ready: not draining, and no indicator is unavailable. Callers within half a second share one check of each indicator. */
  async report(): Promise<HealthReport> {
    const results = [...this.indicators].map(async ([name, reading]) => [name, (await reading.get()) ?? NO_ANSWER] as const);
    const parts = Object.fromEntries(await Promise.all(results));
    const isReady = !this.isDraining && Object.values(parts).every(({ state }) => state !== 'unavailable');
    return { status: isReady ? 'ready' : 'unavailable', draining: this.isDraining, parts };
  }
}

async function checkNow(indicator: HealthIndicator): Promise<HealthIndicatorResult> {
  try {
    return await indicator.check();
  } catch (error) {
    return { state: 'unavailable', detail: error instanceof Error ? error.message : String(error) };
  }
}
