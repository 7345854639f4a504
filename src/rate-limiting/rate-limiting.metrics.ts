import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Health, MetricsRegistry } from '#libs/observability';
import { RateLimitHook } from './admission/rate-limit.hook.js';
import { InProcessLimiterStore } from './store/in-process-limiter.store.js';
import { LimiterStore } from './store/limiter.store.js';

/** The metrics of the limiter and its health indicator. */
@Injectable()
export class RateLimitMetrics {
  constructor(registry: MetricsRegistry, health: Health, store: LimiterStore, counters: InProcessLimiterStore, hook: RateLimitHook) {
    registerTotals(registry, hook.totals);
    registry.addGauge(
      'adoption_rate_limit_counting',
      '1 for how requests are counted: shared with all instances, alone while Redis does not answer, or in-process without Redis',
      () => ['shared', 'alone', 'in-process'].map((mode) => [mode === store.counting ? 1 : 0, { mode }]),
      ['mode'],
    );
    registry.addGauge(
      'adoption_rate_limit_tracked',
      'API keys and client addresses that this instance holds counters of in its memory',
      () => [
        [counters.tracked.keys, { counted_by: 'key' }],
        [counters.tracked.addresses, { counted_by: 'address' }],
      ],
      ['counted_by'],
    );
    // Limits hold for each instance while it counts by itself, but every request is answered.
    health.register({
      name: 'counting',
      check: () =>
        store.counting === 'alone'
          ? { state: 'degraded', detail: 'Redis does not answer; this instance counts by itself' }
          : { state: 'ready', detail: store.counting },
    });
  }
}

function registerTotals(registry: MetricsRegistry, totals: RateLimitHook['totals']): void {
  const registers = [registry];
  const decisions = new Counter({
    name: 'adoption_rate_limit_decisions_total',
    help: 'Requests by what the limiter decided; counted by API key, or by client address if there is no valid key',
    labelNames: ['counted_by', 'outcome'],
    registers,
    collect: () => {
      decisions.reset();
      for (const countedBy of ['key', 'address'] as const) {
        for (const [outcome, count] of Object.entries(totals[countedBy])) decisions.inc({ counted_by: countedBy, outcome }, count);
      }
    },
  });
  const bans = new Counter({
    name: 'adoption_bans_total',
    help: 'Bans of API keys that this instance began',
    registers,
    collect: () => {
      bans.reset();
      bans.inc(totals.bans);
    },
  });
}
