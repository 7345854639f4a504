import { Injectable, Logger } from '@nestjs/common';
import { EventFollower, type DomainEvent, type RecordedEvent } from '#libs/event-sourcing';

type Followed = DomainEvent<'blank-event'>;

/** Writes a line of level debug until it does something else. */
@Injectable()
export class BlankPart extends EventFollower<Followed> {
  readonly name = 'blank-part';
  readonly types = ['blank-event'] as const;
  private readonly logger = new Logger(BlankPart.name);

  handle({ type, position }: RecordedEvent<Followed>): Promise<void> {
    // Send a command here, with an idempotency key of the event: { scope: this.name, key: event.eventId }.
    this.logger.debug(`Nothing reacts to ${type} at position ${position} yet.`);
    return Promise.resolve();
  }
}
