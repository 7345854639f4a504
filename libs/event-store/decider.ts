import type { DomainEvent } from './event.js';

/** The rules of an aggregate as pure functions. Time and ids come in with the command. */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initialState: State;
  /** The events that follow from the command; none when nothing changes. Throws an ApplicationError when it is refused. */
  decide(command: Command, state: State): readonly Event[];
  /** Gives a new state, since the one before is shared. */
  evolve(state: State, event: Event): State;
  /**
   * Names the decider and the form of its states, such as `pet 1`: states of long streams are stored under it. Raise its number with
   * any change of `evolve`, of an upcaster or of what a state holds. Without it none is stored.
   */
  readonly form?: string;
}

/** What a state follows from. */
export type Evolution<State, Event extends DomainEvent> = Pick<Decider<State, never, Event>, 'initialState' | 'evolve' | 'form'>;

/** The state that events of one stream, in order, have led to. Those of a newer build are left to `evolve`, which passes over them. */
export function stateAfter<State, Event extends DomainEvent>(
  { evolve, initialState }: Evolution<State, Event>,
  events: readonly DomainEvent[],
): State {
  return (events as readonly Event[]).reduce(evolve, initialState);
}
