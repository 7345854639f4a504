import { type Decider, readEventData, writeEventData } from '#libs/event-sourcing';
import { pick } from '#libs/http';
import { NotFoundError } from '#libs/observability';
import { type BlankFormEvent, blankFormEvents } from './blank-form.events.js';
import { BLANK_CHANGE_FIELDS, type BlankChangeValues, type BlankForm, type NewBlankForm, showBlankForm } from './blank-form.js';

export type BlankFormState = { readonly kind: 'none' } | ({ readonly kind: 'present' } & Omit<BlankForm, 'id'>);

export type BlankFormCommand =
  // each command
  | { readonly kind: 'blank-close'; readonly id: bigint }
  | ({ readonly kind: 'blank-change'; readonly id: bigint } & BlankChangeValues)
  // end
  | { readonly kind: 'blank-open'; readonly blankForm: NewBlankForm };

/** The rules of the blank forms. What would change nothing gives no event. */
export const blankFormDecider: Decider<BlankFormState, BlankFormCommand, BlankFormEvent> = {
  initialState: { kind: 'none' },
  decide,
  evolve,
};

function decide(command: BlankFormCommand, state: BlankFormState): BlankFormEvent[] {
  if (state.kind === 'none') {
    if (command.kind !== 'blank-open') throw new NotFoundError('blank form', command.id);
    return [{ type: 'blank-form-blank-opened', data: writeEventData(command.blankForm) }];
  }
  switch (command.kind) {
    // each command
    case 'blank-close':
      return state.blankState === 'blank-closed-state' ? [] : [{ type: 'blank-form-blank-closed', data: {} }];
    // each command
    case 'blank-change': {
      const data = writeEventData(pick(command, BLANK_CHANGE_FIELDS));
      const isSame = JSON.stringify(data) === JSON.stringify(writeEventData(pick(state, BLANK_CHANGE_FIELDS)));
      return isSame ? [] : [{ type: 'blank-form-blank-changed', data }];
    }
    // end
    case 'blank-open':
      return [];
  }
}

function evolve(state: BlankFormState, event: BlankFormEvent): BlankFormState {
  switch (event.type) {
    case 'blank-form-blank-opened':
      return {
        kind: 'present',
        ...readEventData(blankFormEvents['blank-form-blank-opened'].data, event.data),
        // if state
        blankState: 'blank-opened-state',
      };
    // each command
    case 'blank-form-blank-closed':
      return state.kind === 'none' ? state : { ...state, blankState: 'blank-closed-state' };
    // each command
    case 'blank-form-blank-changed': {
      const values = readEventData(blankFormEvents['blank-form-blank-changed'].data, event.data);
      return state.kind === 'none' ? state : { ...state, ...pick(values, BLANK_CHANGE_FIELDS) };
    }
    // end
    default:
      // An event of a newer build.
      return state;
  }
}

/** Returns what clients see. @throws NotFoundError for a stream without events */
export function toBlankForm(id: bigint, state: BlankFormState): BlankForm {
  if (state.kind === 'none') throw new NotFoundError('blank form', id);
  return showBlankForm({ id, ...state });
}
