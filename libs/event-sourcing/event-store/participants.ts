import type { StreamAppend } from './append-group.js';
import type { RecordedEvent } from './event.js';

/** What a module does when another one changes an aggregate, such as an animal. */
export interface Participant<Change> {
  /**
   * Called before the change is decided, and once more if one of the streams has changed meanwhile: read all state inside.
   * @returns what is appended with the change: the module's own events, or that its streams are unchanged (`expectUnchanged`)
   * @throws to refuse the change
   */
  before(change: Change): Promise<readonly StreamAppend[]>;
  /** Called with the events of the append, but not when a request is only repeated. */
  appended?(events: readonly RecordedEvent[]): void;
}

/** The modules that take part in the changes of an aggregate. The module of the aggregate exports it, others register while they start. */
export class Participants<Change> {
  private readonly registered: Participant<Change>[] = [];

  register(participant: Participant<Change>): void {
    this.registered.push(participant);
  }

  /** Asks one after another, in the order of their registration. @throws what the first one that refuses throws */
  async before(change: Change): Promise<StreamAppend[]> {
    const appends: StreamAppend[] = [];
    for (const participant of this.registered) appends.push(...(await participant.before(change)));
    return appends;
  }

  appended(events: readonly RecordedEvent[]): void {
    for (const participant of this.registered) participant.appended?.(events);
  }
}
