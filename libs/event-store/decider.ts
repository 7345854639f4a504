import type { DomainEvent, EventMetadata, RecordedEvent } from './event.js';
import { ConcurrencyError } from './event-store.errors.js';
import type { EventStore } from './event-store.js';

const MAX_ATTEMPTS = 5;

/** The rules of an aggregate as pure functions. Time and ids come in with the command. */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initialState: State;
  /** The events that follow from the command; none when nothing changes. Throws an ApplicationError when it is refused. */
  decide(command: Command, state: State): readonly Event[];
  evolve(state: State, event: Event): State;
}

/** The state that events of one stream, in order, have led to. Those of a newer build are left to `evolve`, which passes over them. */
export function stateAfter<State, Event extends DomainEvent>(
  { evolve, initialState }: Pick<Decider<State, never, Event>, 'evolve' | 'initialState'>,
  events: readonly DomainEvent[],
): State {
  return (events as readonly Event[]).reduce(evolve, initialState);
}

/** One command for one existing stream. */
export interface DeciderExecution<State, Command, Event extends DomainEvent> {
  readonly decider: Decider<State, Command, Event>;
  readonly stream: string;
  readonly command: Command;
  readonly metadata: EventMetadata;
}

/**
 * Loads a stream, decides and appends at the version that was read; starts over when another writer came first.
 * An empty stream is decided on the decider's initial state.
 * @returns the state after the command and the events that were recorded, none when nothing changed.
 * @throws ConcurrencyError when other writers came first five times in a row.
 */
export async function executeDecider<State, Command, Event extends DomainEvent>(
  store: EventStore,
  execution: DeciderExecution<State, Command, Event>,
): Promise<{ state: State; events: readonly RecordedEvent[] }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await decideAndAppend(store, execution);
    } catch (error) {
      if (!(error instanceof ConcurrencyError) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function decideAndAppend<State, Command, Event extends DomainEvent>(
  store: EventStore,
  { decider, stream, command, metadata }: DeciderExecution<State, Command, Event>,
): Promise<{ state: State; events: readonly RecordedEvent[] }> {
  const history = await store.readStream(stream);
  const before = stateAfter(decider, history);
  const decided = decider.decide(command, before);
  if (decided.length === 0) return { state: before, events: [] };
  const appended = await store.append([{ stream, expectedVersion: history.length, events: decided }], { metadata });
  return { state: decided.reduce((state, event) => decider.evolve(state, event), before), events: appended.events };
}
