import type { WriteTransaction } from '#libs/database';
import type { RecordedEvent } from './event.js';

/** Updates the read models inside the transaction that appends the events. */
export abstract class InlineProjections {
  /**
   * Reads how far the projections of these types are. Call it before the transaction changes anything: it also finds appends of other
   * builds that a projection has missed.
   */
  abstract begin(types: ReadonlySet<string>, transaction: WriteTransaction): Promise<ProjectionsOfAppend>;
}

/** The projections of one transaction. */
export interface ProjectionsOfAppend {
  /**
   * Applies events in ascending position, after their insertion into the log was sent. If it rejects, the events are not appended.
   */
  project(events: readonly RecordedEvent[]): Promise<void>;
}
