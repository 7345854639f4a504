import type { EventDefinitions, EventsOf } from '#libs/event-sourcing';

/** Stored for ever: never rename a type; give changed `data` a new schema version and an upcaster. */
export const orderEvents = {
  // `placedBy` is the number of the API key.
  'order-placed': {
    schemaVersion: 1,
    data: { petId: 'int64', placedBy: 'int64', 'note?': 'text', placedAt: 'time', expiresAt: 'time' },
    published: { as: 'order.placed', version: 1, description: 'An animal is ordered and reserved.' },
  },
  'order-approved': {
    schemaVersion: 1,
    data: {},
    published: { as: 'order.approved', version: 1, description: 'The store keeps the animal for who has ordered it.' },
  },
  'order-delivered': {
    schemaVersion: 1,
    data: {},
    published: { as: 'order.delivered', version: 1, description: 'The animal is handed over: the order is done.' },
  },
  'order-cancelled': {
    schemaVersion: 1,
    data: { 'reason?': 'text' },
    published: { as: 'order.cancelled', version: 1, description: 'The order is ended before its animal was handed over.' },
  },
  'order-expired': {
    schemaVersion: 1,
    data: {},
    published: { as: 'order.expired', version: 1, description: 'Nobody has approved the order in time: it holds its animal no longer.' },
  },
} as const satisfies EventDefinitions;

export type OrderEvent = EventsOf<typeof orderEvents>;
export type OrderPlaced = EventsOf<typeof orderEvents, 'order-placed'>;
