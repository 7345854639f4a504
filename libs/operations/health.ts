import { Injectable } from '@nestjs/common';
import { settledWithin } from '#libs/clock';
import { HealthCatalog, type HealthIndicator, type HealthIndicatorResult } from './health-catalog.js';

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

/** Tells whether the service is ready. Answers within a second whatever its indicators do. */
@Injectable()
export class Health {
  private checks: readonly BoundedCheck[] | undefined;
  private latest: { readonly results: Promise<Results>; readonly askedAt: number } | undefined;
  private isDraining = false;

  constructor(private readonly catalog: HealthCatalog) {}

  /** From now on the service is not ready, for good. */
  drain(): void {
    this.isDraining = true;
  }

  /** Ready is who has no indicator that says unavailable and is not draining. Callers of the same half second share one check of each. */
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

/** An indicator that checks once at a time, which nobody waits for longer than 800 ms. */
class BoundedCheck {
  private running: { readonly result: Promise<HealthIndicatorResult>; readonly startedAt: number } | undefined;

  constructor(private readonly indicator: HealthIndicator) {}

  get name(): string {
    return this.indicator.name;
  }

  /** Joins the check that is under way. One that has not answered for too long counts as `unavailable` until it does. */
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
