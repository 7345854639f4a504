import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { MetricsRegistry } from '#libs/operations';
import type { Decision } from './domain/decision.js';
import { InProcessLimiterStore } from './store/in-process-limiter.store.js';
import { LimiterStatus } from './store/limiter.store.js';

type Outcome = Decision['outcome'];

/** The metrics of the limiter. Decisions are kept as plain numbers, since there is one for every request. */
@Injectable()
export class RateLimitMetrics {
  private readonly decisions = {
    key: { admitted: 0, refused: 0, banned: 0 },
    address: { admitted: 0, refused: 0, banned: 0 },
  };
  private readonly bans: Counter;

  constructor(registry: MetricsRegistry, status: LimiterStatus, store: InProcessLimiterStore) {
    const registers = [registry];
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
    this.bans = new Counter({
      name: 'adoption_bans_total',
      help: 'Bans of API keys that this instance began',
      registers,
    });
    const counting = new Gauge({
      name: 'adoption_rate_limit_counting',
      help: '1 for how requests are counted: shared with all instances, alone while Redis does not answer, or in-process without Redis',
      labelNames: ['mode'],
      registers,
      collect: () => {
        for (const mode of ['shared', 'alone', 'in-process']) counting.set({ mode }, mode === status.counting ? 1 : 0);
      },
    });
    const tracked = new Gauge({
      name: 'adoption_rate_limit_tracked',
      help: 'API keys and client addresses that this instance holds counters of in its memory',
      labelNames: ['counted_by'],
      registers,
      collect: () => {
        const { keys, addresses } = store.tracked;
        tracked.set({ counted_by: 'key' }, keys);
        tracked.set({ counted_by: 'address' }, addresses);
      },
    });
  }

  decided(countedBy: 'key' | 'address', outcome: Outcome): void {
    this.decisions[countedBy][outcome] += 1;
  }

  banned(): void {
    this.bans.inc();
  }
}
