import type { Decider, DomainEvent } from '#libs/event-sourcing';

/** Given/when/then for a decider: past events, a command, and what follows from it. */
export function given<State, Command, Event extends DomainEvent>(decider: Decider<State, Command, Event>, ...past: readonly Event[]) {
  const state = past.reduce((current, event) => decider.evolve(current, event), decider.initialState);
  return {
    when(command: Command) {
      return {
        /** The command is accepted and gives exactly these events; none means that nothing changed. */
        then(...expected: readonly Event[]): void {
          expect(decider.decide(command, state)).toEqual(expected);
        },
        /** The command is refused with this error code. */
        thenRefused(code: string): void {
          expect(() => decider.decide(command, state)).toThrow(expect.objectContaining({ code }));
        },
      };
    },
  };
}
