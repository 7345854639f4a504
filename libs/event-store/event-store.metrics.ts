import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { MetricsRegistry } from '#libs/operations';

/** What became of a group of appends that was committed together. */
export interface CommittedGroup {
  readonly appends: number;
  readonly events: number;
  readonly seconds: number;
}

/** The metrics of the event store. */
@Injectable()
export class EventStoreMetrics {
  private readonly appends: Counter;
  private readonly events: Counter;
  private readonly failures: Counter;
  private readonly rewinds: Counter;
  private readonly groupSize: Histogram;
  private readonly commitSeconds: Histogram;

  constructor(registry: MetricsRegistry) {
    const registers = [registry];
    const { prefix } = registry;
    this.appends = new Counter({ name: `${prefix}appends_total`, help: 'Appends that were committed or refused', registers });
    this.events = new Counter({ name: `${prefix}events_appended_total`, help: 'Events that were committed to the log', registers });
    this.failures = new Counter({
      name: `${prefix}append_failures_total`,
      help: 'Groups of appends that the database did not commit',
      registers,
    });
    this.rewinds = new Counter({
      name: `${prefix}log_rewinds_total`,
      help: 'How often this instance found that the log has lost events that it had seen',
      registers,
    });
    this.groupSize = new Histogram({
      name: `${prefix}append_group_size`,
      help: 'Appends that shared one commit',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128],
      registers,
    });
    this.commitSeconds = new Histogram({
      name: `${prefix}append_commit_seconds`,
      help: 'Seconds from the wait for the write lock to the end of the commit',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    });
  }

  committed({ appends, events, seconds }: CommittedGroup): void {
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
}
