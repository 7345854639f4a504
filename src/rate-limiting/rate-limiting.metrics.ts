import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { HealthCatalog, MetricsRegistry, type HealthIndicator, type HealthIndicatorResult } from '#libs/observability';
import type { Decision } from './domain/decision.js';
import { InProcessLimiterStore } from './store/in-process-limiter.store.js';
import { LimiterStore } from './store/limiter.store.js';

/** The metrics of the limiter. Kept as plain numbers, since every request is counted. */
@Injectable()
export class RateLimitMetrics implements OnModuleInit {
  private readonly decisions = {
    key: { admitted: 0, refused: 0, banned: 0 },
    address: { admitted: 0, refused: 0, banned: 0 },
  };
  private bans = 0;

  constructor(
    private readonly registry: MetricsRegistry,
    private readonly store: LimiterStore,
    private readonly counters: InProcessLimiterStore,
  ) {}

  onModuleInit(): void {
    const registers = [this.registry];
    const decisions = new Counter({
      name: 'adoption_rate_limit_decisions_total',
      help: 'Requests by what the limiter decided; counted by API key, or by client address where there is no valid key',
      labelNames: ['counted_by', 'outcome'],
      registers,
      collect: () => {
        decisions.reset();
        for (const [countedBy, outcomes] of Object.entries(this.decisions)) {
          for (const [outcome, count] of Object.entries(outcomes)) decisions.inc({ counted_by: countedBy, outcome }, count);
        }
      },
    });
    const bans = new Counter({
      name: 'adoption_bans_total',
      help: 'Bans of API keys that this instance began',
      registers,
      collect: () => {
        bans.reset();
        bans.inc(this.bans);
      },
    });
    const counting = new Gauge({
      name: 'adoption_rate_limit_counting',
      help: '1 for how requests are counted: shared with all instances, alone while Redis does not answer, or in-process without Redis',
      labelNames: ['mode'],
      registers,
      collect: () => {
        for (const mode of ['shared', 'alone', 'in-process']) counting.set({ mode }, mode === this.store.counting ? 1 : 0);
      },
    });
    const tracked = new Gauge({
      name: 'adoption_rate_limit_tracked',
      help: 'API keys and client addresses that this instance holds counters of in its memory',
      labelNames: ['counted_by'],
      registers,
      collect: () => {
        const { keys, addresses } = this.counters.tracked;
        tracked.set({ counted_by: 'key' }, keys);
        tracked.set({ counted_by: 'address' }, addresses);
      },
    });
  }

  countDecision(countedBy: 'key' | 'address', outcome: Decision['outcome']): void {
    this.decisions[countedBy][outcome] += 1;
  }

  countBan(): void {
    this.bans += 1;
  }
}

/** Degraded while this instance counts alone: limits hold for each instance then, but every request is answered. */
@Injectable()
export class CountingHealthIndicator implements HealthIndicator, OnModuleInit {
  readonly name = 'counting';

  constructor(
    private readonly catalog: HealthCatalog,
    private readonly store: LimiterStore,
  ) {}

  onModuleInit(): void {
    this.catalog.register(this);
  }

  check(): HealthIndicatorResult {
    const { counting } = this.store;
    if (counting !== 'alone') return { state: 'ready', detail: counting };
    return { state: 'degraded', detail: 'Redis does not answer; this instance counts alone' };
  }
}
