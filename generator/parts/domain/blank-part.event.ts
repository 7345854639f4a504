import type { EventDefinitions } from '#libs/event-sourcing';

/** The type is stored in the log for ever: it is never renamed, a changed `data` gets a new schema version and an upcaster. */
export const blankPart = {
  'blank-part': { schemaVersion: 1, data: {}, published: false },
} as const satisfies EventDefinitions;
