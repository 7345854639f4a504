import type { StreamAppend } from './append-group.js';
import type { Decider, DomainEvent, EventMetadata, RecordedEvent } from './event.js';
import { retryConflicts, type EventStore } from './event-store.js';

/** A stream as it was read, with the decisions since. Several decisions, also about other streams, can be one append. */
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

  /** The state after the decisions so far. */
  get state(): State {
    return this.currentState;
  }

  /** How many events the stream has after the decisions so far. */
  get version(): number {
    return this.currentVersion;
  }

  /** Decides the command. Returns the append at the version before it, or none if nothing changes. @throws as the decider does */
  decide(command: Command): StreamAppend[] {
    const events = this.decider.decide(command, this.currentState);
    if (events.length === 0) return [];
    const append = { stream: this.stream, expectedVersion: this.currentVersion, events };
    this.currentState = events.reduce((state, event) => this.decider.evolve(state, event), this.currentState);
    this.currentVersion += events.length;
    return [append];
  }

  /** Returns an append without events, by which a command that depends on this stream fails and is decided again if the stream has changed since. */
  expectUnchanged(): StreamAppend {
    return { stream: this.stream, expectedVersion: this.currentVersion, events: [] };
  }
}

interface Execution<State, Command, Event extends DomainEvent> {
  readonly decider: Decider<State, Command, Event>;
  readonly stream: string;
  readonly command: Command;
  readonly metadata: EventMetadata;
}

/**
 * Loads a stream, decides and appends at the version that was read; starts over if another writer came first.
 * @returns the state after the command and the recorded events, none if nothing changed.
 * @throws ConcurrencyError if other writers came first for five seconds.
 */
export function executeDecider<State, Command, Event extends DomainEvent>(
  store: EventStore,
  { decider, stream, command, metadata }: Execution<State, Command, Event>,
): Promise<{ state: State; events: readonly RecordedEvent[] }> {
  return retryConflicts(async () => {
    const aggregate = await Aggregate.read(store, decider, stream);
    const appends = aggregate.decide(command);
    const { events } = appends.length === 0 ? { events: [] } : await store.append(appends, { metadata });
    return { state: aggregate.state, events };
  });
}
