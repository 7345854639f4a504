import type { DomainEvent } from './event.js';

/** The rules of an aggregate as pure functions. Time and ids come in with the command. */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initialState: State;
  /** Returns the events that follow from the command; none if nothing changes. @throws ApplicationError if it is refused */
  decide(command: Command, state: State): readonly Event[];
  /** Returns a new state; the one before is shared and must not change. */
  evolve(state: State, event: Event): State;
  /**
   * Names the decider and the form of its states, such as `pet 1`, under which states of long streams are stored. Raise its number with
   * any change of `evolve`, of an upcaster or of the state. Without it none is stored.
   */
  readonly form?: string;
}

/** The part of a decider from which states follow. */
export type Evolution<State, Event extends DomainEvent> = Pick<Decider<State, never, Event>, 'initialState' | 'evolve' | 'form'>;

/** Folds the events of one stream, in order. `evolve` ignores events of a newer build. */
export function foldEvents<State, Event extends DomainEvent>(
  { evolve, initialState }: Evolution<State, Event>,
  events: readonly DomainEvent[],
): State {
  return (events as readonly Event[]).reduce(evolve, initialState);
}

/** The state of a stream after all of its events, and how many there are. */
export interface StreamState<State> {
  readonly state: State;
  readonly version: number;
}
