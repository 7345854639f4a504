import type { Decider } from '#libs/event-sourcing';
import { BlankFormAlreadyAddedError, BlankFormNotFoundError } from './blank-form.errors.js';
import type { BlankFormEvent } from './blank-form.events.js';

export type BlankFormState = { readonly kind: 'none' } | { readonly kind: 'present'; readonly name: string };

export type BlankFormCommand =
  { readonly kind: 'add'; readonly name: string } | { readonly kind: 'rename'; readonly id: bigint; readonly name: string };

/** The rules of the blank forms. What would change nothing gives no event. */
export const blankFormDecider: Decider<BlankFormState, BlankFormCommand, BlankFormEvent> = {
  initialState: { kind: 'none' },
  decide,
  evolve,
};

function decide(command: BlankFormCommand, state: BlankFormState): BlankFormEvent[] {
  if (command.kind === 'add') {
    if (state.kind !== 'none') throw new BlankFormAlreadyAddedError();
    return [{ type: 'blank-form-added', data: { name: command.name } }];
  }
  if (state.kind === 'none') throw new BlankFormNotFoundError(command.id);
  return command.name === state.name ? [] : [{ type: 'blank-form-renamed', data: { name: command.name } }];
}

function evolve(state: BlankFormState, event: BlankFormEvent): BlankFormState {
  switch (event.type) {
    case 'blank-form-added':
      return { kind: 'present', name: event.data.name };
    case 'blank-form-renamed':
      return state.kind === 'none' ? state : { ...state, name: event.data.name };
    default:
      // A newer build may have written what this one does not know.
      return state;
  }
}
