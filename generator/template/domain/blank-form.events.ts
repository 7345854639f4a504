import type { EventDefinitions, EventsOf } from '#libs/event-sourcing';
import { BLANK_FORM_BLANK_WORDS } from './blank-form.js';

/** Stored for ever: never rename a type; give changed `data` a new schema version and an upcaster. */
export const blankFormEvents = {
  'blank-form-blank-opened': {
    schemaVersion: 1,
    data: {
      // each field
      'blankText?': 'text',
      'blankInteger?': 'int64',
      'blankTime?': 'time',
      'blankFlag?': 'boolean',
      'blankWord?': BLANK_FORM_BLANK_WORDS,
    },
    published: { as: 'blank-form.blank_opened', version: 1, description: 'A blank form was blank opened.' },
  },
  // each command
  'blank-form-blank-closed': {
    schemaVersion: 1,
    data: {},
    published: { as: 'blank-form.blank_closed', version: 1, description: 'A blank form was blank closed.' },
  },
  // each command
  'blank-form-blank-changed': {
    schemaVersion: 1,
    data: {
      // each field
      'blankText?': 'text',
      'blankInteger?': 'int64',
      'blankTime?': 'time',
      'blankFlag?': 'boolean',
      'blankWord?': BLANK_FORM_BLANK_WORDS,
    },
    published: { as: 'blank-form.blank_changed', version: 1, description: 'A blank form was blank changed.' },
  },
} as const satisfies EventDefinitions;

export type BlankFormEvent = EventsOf<typeof blankFormEvents>;
