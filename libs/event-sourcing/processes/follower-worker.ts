import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Timers } from '#libs/observability';
import type { RecordedEvent } from '../event-store/event.js';
import { EventStore } from '../event-store/event-store.js';
import { LogHistory } from '../event-store/log-history.js';
import type { EventFollower } from './event-follower.js';
import { FollowerCheckpoints } from './follower-checkpoints.js';
import { PollLoop } from './poll-loop.js';

const INTERVAL_MILLISECONDS = 1_000;
const RENEWAL_MILLISECONDS = 3_000;
const PAGE = 50;

/** What the workers of all followers share. */
@Injectable()
export class FollowerDependencies {
  readonly logger = new Logger('EventFollower');

  constructor(
    readonly store: EventStore,
    readonly history: LogHistory,
    readonly checkpoints: FollowerCheckpoints,
    readonly timers: Timers,
  ) {}
}

/** Calls one follower while this instance holds its lease. */
export class FollowerWorker {
  readonly loop: PollLoop;
  /** Events that were read and are not handled yet. */
  private waiting: RecordedEvent[] = [];

  constructor(
    readonly follower: EventFollower,
    private readonly dependencies: FollowerDependencies,
  ) {
    const onFailure = (error: unknown) => dependencies.logger.warn(`${follower.name} cannot continue and will retry: ${String(error)}`);
    this.loop = new PollLoop(() => this.handleDue(), INTERVAL_MILLISECONDS, dependencies.timers, onFailure);
    // They may be lost, and are read again if not.
    dependencies.history.onRewind(() => (this.waiting = []));
  }

  private async handleDue(): Promise<void> {
    const { follower, dependencies } = this;
    const { checkpoints } = dependencies;
    const isDue = async () => {
      const known = await checkpoints.isDue(follower);
      if (known !== undefined) return known;
      // It is new, or a backup from before it was restored.
      await checkpoints.create(follower);
      return checkpoints.isDue(follower);
    };
    while (!this.loop.isEnding && (await isDue())) {
      const renewing = new AbortController();
      void this.renewLease(renewing.signal);
      try {
        if (!(await this.handlePage())) return;
      } finally {
        renewing.abort();
      }
    }
  }

  private async renewLease(signal: AbortSignal): Promise<void> {
    const { follower, dependencies } = this;
    for (;;) {
      await dependencies.timers.sleep(RENEWAL_MILLISECONDS, { signal, ref: false });
      if (signal.aborted) return;
      dependencies.checkpoints.acquire(follower).catch(() => undefined);
    }
  }

  /** @returns false if nothing more can be handled for now */
  private async handlePage(): Promise<boolean> {
    const { follower, dependencies } = this;
    const checkpoint = await dependencies.checkpoints.acquire(follower);
    if (!checkpoint) return false;
    let { failures } = checkpoint;
    this.waiting = await dependencies.store.readAll({ after: checkpoint.position, types: follower.types, limit: PAGE });
    let isHandled = false;
    for (let event = this.waiting.shift(); event && !this.loop.isEnding; event = this.waiting.shift()) {
      isHandled = await this.handle(event, failures);
      if (!isHandled) return false;
      failures = 0;
      // Requests are served between two events.
      await nextTurn();
    }
    return isHandled;
  }

  private async handle(event: RecordedEvent, failures: number): Promise<boolean> {
    const { follower, dependencies } = this;
    const { checkpoints, logger } = dependencies;
    try {
      await follower.handle(event);
    } catch (error) {
      const pause = await checkpoints.fail(follower, event.position, failures + 1);
      logger.error(
        `${follower.name} failed on ${event.type} at position ${event.position}, which is tried again in ${pause / 1_000} s: ${String(error)}`,
        error instanceof Error ? error.stack : undefined,
      );
      return false;
    }
    return checkpoints.advance(follower, event.position);
  }
}
