import type { EventDefinitions, EventsOf } from '#libs/event-sourcing';
import { PET_STATUSES } from './pet.js';

/** Stored for ever: never rename a type; give changed `data` a new schema version and an upcaster. */
export const petEvents = {
  'pet-added': {
    schemaVersion: 1,
    data: { name: 'text', categoryId: 'int64', 'status?': PET_STATUSES },
    published: { as: 'pet.added', version: 1, description: 'An animal is up for adoption.' },
  },
  // `orderId`: the order that reserves the animal or ends its reservation; absent if the status was set directly.
  'pet-status-set': {
    schemaVersion: 2,
    data: { status: PET_STATUSES, 'orderId?': 'int64' },
    upcasters: { 1: (data: object) => data },
    published: {
      as: 'pet.status_changed',
      version: 1,
      description: 'The availability of an animal is another one, by hand or through an order.',
    },
  },
  // Only the corrected members.
  'pet-corrected': {
    schemaVersion: 1,
    data: { 'name?': 'text', 'categoryId?': 'int64' },
    published: { as: 'pet.corrected', version: 1, description: 'What was recorded wrongly of an animal is right now.' },
  },
  'pet-withdrawn': {
    schemaVersion: 1,
    data: { reason: 'text' },
    published: { as: 'pet.withdrawn', version: 1, description: 'An animal is gone; its data is what was known of it last.' },
  },
} as const satisfies EventDefinitions;

export type PetEvent = EventsOf<typeof petEvents>;
export type PetAdded = EventsOf<typeof petEvents, 'pet-added'>;
export type PetStatusSet = EventsOf<typeof petEvents, 'pet-status-set'>;
export type PetCorrected = EventsOf<typeof petEvents, 'pet-corrected'>;
