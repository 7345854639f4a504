import { Injectable } from '@nestjs/common';
import { settledWithin } from '../clock/settled-within.js';

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

type Results = Readonly<Record<string, HealthIndicatorResult>>;

/** Whether the service may get requests, and what each of its health indicators says. */
export interface HealthReport {
  readonly status: 'ready' | 'unavailable';
  /** The service is ending and finishes what it has begun. */
  readonly draining: boolean;
  readonly parts: Results;
}

// Probes of many watchers cost the database no more than two checks in a second.
const FRESH_FOR_MILLISECONDS = 500;
const PATIENCE_MILLISECONDS = 800;
const NO_ANSWER: HealthIndicatorResult = { state: 'unavailable', detail: `no answer within ${PATIENCE_MILLISECONDS} ms` };

/** Reports whether the service is ready, within a second whatever its indicators do. */
@Injectable()
export class Health {
  private checks: readonly BoundedCheck[] | undefined;
  private latest: { readonly results: Promise<Results>; readonly askedAt: number } | undefined;
  private isDraining = false;

  constructor(private readonly catalog: HealthCatalog) {}

  /** Makes the service not ready, for good. */
  drain(): void {
    this.isDraining = true;
  }

  /** Ready: not draining, and no indicator is unavailable. Callers within the same half second share one check of each indicator. */
  async report(): Promise<HealthReport> {
    const parts = await this.results();
    const isReady = !this.isDraining && Object.values(parts).every(({ state }) => state !== 'unavailable');
    return { status: isReady ? 'ready' : 'unavailable', draining: this.isDraining, parts };
  }

  private results(): Promise<Results> {
    const now = performance.now();
    if (!this.latest || now - this.latest.askedAt > FRESH_FOR_MILLISECONDS) this.latest = { results: this.checkAll(), askedAt: now };
    return this.latest.results;
  }

  private async checkAll(): Promise<Results> {
    this.checks ??= this.catalog.all().map((indicator) => new BoundedCheck(indicator));
    return Object.fromEntries(await Promise.all(this.checks.map(async (check) => [check.name, await check.result()] as const)));
  }
}

/** Runs an indicator once at a time and waits for it 800 ms at most. */
class BoundedCheck {
  private running: { readonly result: Promise<HealthIndicatorResult>; readonly startedAt: number } | undefined;

  constructor(private readonly indicator: HealthIndicator) {}

  get name(): string {
    return this.indicator.name;
  }

  /** Joins the check in progress. One that has not answered for too long counts as `unavailable` until it does. */
  async result(): Promise<HealthIndicatorResult> {
    const { result, startedAt } = (this.running ??= { result: this.check(), startedAt: performance.now() });
    const patience = startedAt + PATIENCE_MILLISECONDS - performance.now();
    return (await settledWithin(result, Math.max(0, patience))) ? result : NO_ANSWER;
  }

  private async check(): Promise<HealthIndicatorResult> {
    try {
      return await this.indicator.check();
    } catch (error) {
      return { state: 'unavailable', detail: error instanceof Error ? error.message : String(error) };
    } finally {
      this.running = undefined;
    }
  }
}
