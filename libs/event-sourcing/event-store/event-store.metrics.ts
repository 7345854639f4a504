import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { MetricsRegistry } from '#libs/observability';

/** The metrics of the event store. */
@Injectable()
export class EventStoreMetrics {
  private readonly appends = this.counter('appends_total', 'Appends that were committed or refused');
  private readonly events = this.counter('events_appended_total', 'Events that were committed to the log');
  private readonly failures = this.counter('append_failures_total', 'Groups of appends that the database did not commit');
  private readonly rewinds = this.counter(
    'log_rewinds_total',
    'How often this instance found that the log has lost events that it had seen',
  );
  private readonly groupSize = this.histogram('append_group_size', 'Appends that shared one commit', [1, 2, 4, 8, 16, 32, 64, 128]);
  private readonly commitSeconds = this.histogram(
    'append_commit_seconds',
    'Seconds from the wait for the write lock to the end of the commit',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  );

  constructor(private readonly registry: MetricsRegistry) {}

  /** Counts a group of appends that was committed together. */
  committed({ appends, events, seconds }: { readonly appends: number; readonly events: number; readonly seconds: number }): void {
    this.appends.inc(appends);
    this.events.inc(events);
    this.groupSize.observe(appends);
    this.commitSeconds.observe(seconds);
  }

  failed(): void {
    this.failures.inc();
  }

  rewound(): void {
    this.rewinds.inc();
  }

  private counter(name: string, help: string): Counter {
    return new Counter({ name: `${this.registry.prefix}${name}`, help, registers: [this.registry] });
  }

  private histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name: `${this.registry.prefix}${name}`, help, buckets, registers: [this.registry] });
  }
}
