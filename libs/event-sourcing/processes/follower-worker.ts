import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Timers } from '#libs/observability';
import type { RecordedEvent } from '../event-store/event.js';
import { EventStore } from '../event-store/event-store.js';
import type { EventFollower } from './event-follower.js';
import type { FollowerCheckpoint } from './follower-checkpoint.entity.js';
import { FollowerCheckpoints } from './follower-checkpoints.js';
import { PollLoop } from './poll-loop.js';

const INTERVAL_MILLISECONDS = 1_000;
const RENEWAL_MILLISECONDS = 3_000;

/** What the workers of all followers share. */
@Injectable()
export class FollowerDependencies {
  readonly logger = new Logger('EventFollower');

  constructor(
    readonly store: EventStore,
    readonly checkpoints: FollowerCheckpoints,
    readonly timers: Timers,
  ) {}
}

/** Calls one follower while this instance holds its lease. */
export class FollowerWorker {
  readonly loop: PollLoop;

  constructor(
    readonly follower: EventFollower,
    private readonly dependencies: FollowerDependencies,
  ) {
    const onFailure = (error: unknown) => dependencies.logger.warn(`${follower.name} cannot continue and will retry: ${String(error)}`);
    this.loop = new PollLoop(() => this.handleDue(), INTERVAL_MILLISECONDS, dependencies.timers, onFailure);
  }

  private async handleDue(): Promise<void> {
    const { follower, dependencies } = this;
    const checkpoint = (await this.isDue()) && (await dependencies.checkpoints.acquire(follower));
    if (!checkpoint) return;
    const renewing = new AbortController();
    void this.renewLease(renewing.signal);
    try {
      await this.handleAfter(checkpoint);
    } finally {
      renewing.abort();
    }
  }

  private async isDue(): Promise<boolean | undefined> {
    const { follower, dependencies } = this;
    const { checkpoints } = dependencies;
    const known = await checkpoints.isDue(follower);
    if (known !== undefined) return known;
    // It is new, or a backup from before it was restored.
    await checkpoints.create(follower);
    return checkpoints.isDue(follower);
  }

  private async renewLease(signal: AbortSignal): Promise<void> {
    const { follower, dependencies } = this;
    for (;;) {
      await dependencies.timers.sleep(RENEWAL_MILLISECONDS, { signal, ref: false });
      if (signal.aborted) return;
      dependencies.checkpoints.acquire(follower).catch(() => undefined);
    }
  }

  /** Reads one event at a time, so that none is handled that the log has lost meanwhile. */
  private async handleAfter(checkpoint: FollowerCheckpoint): Promise<void> {
    const { store } = this.dependencies;
    const { types } = this.follower;
    for (let { position, failures } = checkpoint; !this.loop.isEnding; failures = 0) {
      const [event] = await store.readAll({ after: position, types, limit: 1 });
      if (!event || !(await this.handle(event, failures))) return;
      ({ position } = event);
      // Requests are served between two events.
      await nextTurn();
    }
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
