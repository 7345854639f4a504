import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { MetricsRegistry, type Timers } from '#libs/observability';
import { DatabaseUnavailableError } from '#libs/database';

/** The result or the error of one item of a group. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

interface Waiting<Item, Result> {
  readonly item: Item;
  /** In terms of `Timers.now()`. */
  readonly deadline: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

// Bounds the time the write lock is held; 32 clients never reach it.
const MAX_GROUP = 128;

// Callers answered together call again within a few turns of the event loop. With groups of one turn, 32 callers placed 10 % fewer orders
// on SQLite, and added 5 % fewer animals.
const MAX_TURNS = 16;

/**
 * Commits items that arrive together as one group. A group closes with the first turn of the event loop that brings no further item after
 * its first one or after the previous commit was sent, so that a single item does not wait.
 */
export class GroupCommit<Item, Result> {
  /** In the order of their deadlines, since all wait equally long. */
  private waiting: Waiting<Item, Result>[] = [];
  private running = false;
  private expiry: Promise<void> | undefined;

  /**
   * @param commit returns one outcome for each item, in order, when they are durable, and begins its transaction before the deadline. It
   *   calls `sent` when the next group may begin. If it rejects, the whole group gets that error.
   * @param maxWaitMilliseconds longest wait of an item until its transaction begins
   */
  constructor(
    private readonly commit: (items: readonly Item[], deadline: number, sent: () => void) => Promise<readonly Outcome<Result>[]>,
    private readonly maxWaitMilliseconds: number,
    private readonly timers: Timers,
  ) {}

  /** @throws DatabaseUnavailableError if no commit took the item in time. */
  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, deadline: this.timers.now() + this.maxWaitMilliseconds, resolve, reject });
      this.expiry ??= this.rejectLate();
      this.schedule();
    });
  }

  /** Rejects the items whose deadline has passed. One timer serves all, set for the first item, whose deadline is the earliest. */
  private async rejectLate(): Promise<void> {
    for (let first = this.waiting[0]; first !== undefined; first = this.waiting[0]) {
      await this.timers.sleep(first.deadline - this.timers.now(), { ref: false });
      const now = this.timers.now();
      const late = this.waiting.filter(({ deadline }) => deadline <= now);
      this.waiting.splice(0, late.length);
      for (const { reject } of late) reject(new DatabaseUnavailableError(new Error('the commits before took too long')));
    }
    this.expiry = undefined;
  }

  private schedule(): void {
    if (this.running || this.waiting.length === 0) return;
    this.running = true;
    this.closeAfterTurns(MAX_TURNS);
  }

  private closeAfterTurns(turns: number): void {
    const before = this.waiting.length;
    setImmediate(() => {
      const { length } = this.waiting;
      if (length > before && length < MAX_GROUP && turns > 1) this.closeAfterTurns(turns - 1);
      else void this.commitGroup(this.waiting.splice(0, MAX_GROUP));
    });
  }

  private async commitGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    const [first] = group;
    // Without a first item all were late.
    if (first) await new Promise<void>((sent) => void this.settleGroup(group, first.deadline, sent).then(sent));
    this.running = false;
    this.schedule();
  }

  private async settleGroup(group: readonly Waiting<Item, Result>[], deadline: number, sent: () => void): Promise<void> {
    try {
      const items = group.map(({ item }) => item);
      const outcomes = await this.commit(items, deadline, sent);
      group.forEach((member, index) => settle(member, outcomes[index]));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}

function settle<Result>(member: Waiting<unknown, Result>, outcome: Outcome<Result> | undefined): void {
  if (outcome === undefined) member.reject(new Error('A group commit gave no outcome for an item.'));
  else if ('error' in outcome) member.reject(outcome.error);
  else member.resolve(outcome.result);
}

/** The metrics of groups of appends. */
@Injectable()
export class CommitMetrics {
  private readonly appends = this.counter('appends_total', 'Appends that were committed or refused');
  private readonly events = this.counter('events_appended_total', 'Events that were committed to the log');
  private readonly failures = this.counter('append_failures_total', 'Groups of appends that the database did not commit');
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

  private counter(name: string, help: string): Counter {
    return new Counter({ name: `${this.registry.prefix}${name}`, help, registers: [this.registry] });
  }

  private histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name: `${this.registry.prefix}${name}`, help, buckets, registers: [this.registry] });
  }
}
