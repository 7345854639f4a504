import type { DomainEvent } from './event.js';

/** The rules of an aggregate as pure functions. Time and ids come in with the command. */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initialState: State;
  /** The events that follow from the command; none when nothing changes. Throws an ApplicationError when it is refused. */
  decide(command: Command, state: State): readonly Event[];
  evolve(state: State, event: Event): State;
}
