import type { EventDefinitions, EventsOf } from '#libs/event-store';
import { PET_STATUSES } from './pet.js';

/** The types are stored in the log for ever: a type is never renamed, a changed `data` gets a new schema version and an upcaster. */
export const petEvents = {
  'pet-added': { schemaVersion: 1, data: { name: 'text', categoryId: 'int64', 'status?': PET_STATUSES } },
  'pet-status-set': { schemaVersion: 1, data: { status: PET_STATUSES } },
  // Holds only what was corrected.
  'pet-corrected': { schemaVersion: 1, data: { 'name?': 'text', 'categoryId?': 'int64' } },
  'pet-withdrawn': { schemaVersion: 1, data: { reason: 'text' } },
} as const satisfies EventDefinitions;

export type PetEvent = EventsOf<typeof petEvents>;
export type PetAdded = EventsOf<typeof petEvents, 'pet-added'>;
export type PetCorrected = EventsOf<typeof petEvents, 'pet-corrected'>;
