import type { WriteTransaction } from '#libs/database';
import type { RecordedEvent } from './event.js';

/** What keeps the read models: called inside the transaction that appends the events, before it commits. */
export abstract class InlineProjections {
  /**
   * Begins an append: finds how far the projections of these types have come. To be called before the transaction changes anything:
   * what it finds tells whether an append of another build has been missed.
   */
  abstract begin(types: ReadonlySet<string>, transaction: WriteTransaction): Promise<ProjectionsOfAppend>;
}

/** The projections of one transaction. */
export interface ProjectionsOfAppend {
  /**
   * Applies events in ascending position, whose insertion into the log has been sent before. When it rejects, the events are not
   * appended.
   */
  project(events: readonly RecordedEvent[]): Promise<void>;
}
