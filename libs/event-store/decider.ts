import type { DomainEvent } from './event.js';

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
