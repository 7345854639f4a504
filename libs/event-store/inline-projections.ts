import type { WriteTransaction } from '#libs/database';
import type { RecordedEvent } from './event.js';

/** What keeps the read models: called inside the transaction that appends the events, before it commits. */
export abstract class InlineProjections {
  /**
   * Applies events in ascending position. They stand in the log already, `newestPositionOf` is still without them. When it
   * rejects, the events are not appended.
   */
  abstract project(events: readonly RecordedEvent[], transaction: WriteTransaction): Promise<void>;
}
