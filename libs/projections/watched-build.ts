import { setTimeout as delay } from 'node:timers/promises';
import type { ProjectionCheckpoint } from './projection-checkpoints.js';

const LOOK_EVERY_MILLISECONDS = 50;
// A build notes its progress many times a second; one that does not was broken off.
const STANDSTILL_MILLISECONDS = 5_000;

/** A build of another process, seen from here. */
export class WatchedBuild {
  private last = '';
  private changedAt = performance.now();

  /** Waits a little, for the build to go on. */
  static pause(): Promise<void> {
    return delay(LOOK_EVERY_MILLISECONDS);
  }

  /** `wentOn`: it is not as it was seen last; `brokenOff`: it has not been for five seconds. */
  observe({ rebuildId, rebuildPosition }: ProjectionCheckpoint): 'seen' | 'wentOn' | 'brokenOff' {
    const seen = `${rebuildId} ${rebuildPosition}`;
    if (seen === this.last) return performance.now() - this.changedAt > STANDSTILL_MILLISECONDS ? 'brokenOff' : 'seen';
    const isFirst = this.last === '';
    this.last = seen;
    this.changedAt = performance.now();
    return isFirst ? 'seen' : 'wentOn';
  }
}
