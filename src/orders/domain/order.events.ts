import type { EventDefinitions, EventsOf } from '#libs/event-store';

/** The types are stored in the log for ever: a type is never renamed, a changed `data` gets a new schema version and an upcaster. */
export const orderEvents = {
  // `placedBy` is the number of the API key.
  'order-placed': {
    schemaVersion: 1,
    data: { petId: 'int64', placedBy: 'int64', 'note?': 'text', placedAt: 'time', expiresAt: 'time' },
  },
  'order-approved': { schemaVersion: 1, data: {} },
  'order-delivered': { schemaVersion: 1, data: {} },
  'order-cancelled': { schemaVersion: 1, data: { 'reason?': 'text' } },
  'order-expired': { schemaVersion: 1, data: {} },
} as const satisfies EventDefinitions;

export type OrderEvent = EventsOf<typeof orderEvents>;
export type OrderPlaced = EventsOf<typeof orderEvents, 'order-placed'>;
