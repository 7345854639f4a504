import type { Decider } from './decider.js';
import type { DomainEvent } from './event.js';
import type { EventStore, StreamAppend } from './event-store.js';

/** A stream as it was read, with what was decided since: several decisions, also about other streams, can be one append. */
export class Aggregate<State, Command, Event extends DomainEvent> {
  private constructor(
    private readonly decider: Decider<State, Command, Event>,
    private readonly stream: string,
    private currentState: State,
    private currentVersion: number,
  ) {}

  /** Reads a stream; one without events is in the decider's initial state. */
  static async read<State, Command, Event extends DomainEvent>(
    store: EventStore,
    decider: Decider<State, Command, Event>,
    stream: string,
  ): Promise<Aggregate<State, Command, Event>> {
    const { state, version } = await store.readState(decider, stream);
    return new Aggregate(decider, stream, state, version);
  }

  /** After what was decided so far. */
  get state(): State {
    return this.currentState;
  }

  /** How many events the stream has with those that were decided so far. */
  get version(): number {
    return this.currentVersion;
  }

  /** What follows from the command, to be appended at the version before it; nothing where it changes nothing. @throws as the decider does */
  decide(command: Command): StreamAppend[] {
    const events = this.decider.decide(command, this.currentState);
    if (events.length === 0) return [];
    const append = { stream: this.stream, expectedVersion: this.currentVersion, events };
    this.currentState = events.reduce((state, event) => this.decider.evolve(state, event), this.currentState);
    this.currentVersion += events.length;
    return [append];
  }
}
