import type { EventDefinitions, EventsOf } from '#libs/event-sourcing';

/** The types are stored in the log for ever: a type is never renamed, a changed `data` gets a new schema version and an upcaster. */
export const blankFormEvents = {
  'blank-form-added': { schemaVersion: 1, data: { name: 'text' }, published: false },
  'blank-form-renamed': { schemaVersion: 1, data: { name: 'text' }, published: false },
} as const satisfies EventDefinitions;

export type BlankFormEvent = EventsOf<typeof blankFormEvents>;
export type BlankFormAdded = EventsOf<typeof blankFormEvents, 'blank-form-added'>;
export type BlankFormRenamed = EventsOf<typeof blankFormEvents, 'blank-form-renamed'>;
