import { column, optional, streamProjection } from '#libs/event-sourcing';
import { petDecider } from '../domain/pet.decider.js';
import { petEvents } from '../domain/pet.events.js';
import type { PetStatus } from '../domain/pet.js';
import { petCounts } from './pet-counts.js';

/** The visible animals, one row each, and their counts. */
export const petsProjection = streamProjection({
  name: 'pets',
  version: 2,
  events: petEvents,
  columns: {
    name: column.text(),
    categoryId: column.int64(),
    status: optional(column.text<PetStatus>()),
    addedAt: column.time(),
  },
  indexes: [
    ['status', 'id'],
    ['categoryId', 'id'],
  ],
  evolve(pet, event) {
    const state = petDecider.evolve(pet ? { kind: 'present', details: pet } : petDecider.initialState, event);
    return state.kind === 'present' ? { ...state.details, addedAt: pet?.addedAt ?? event.recordedAt } : undefined;
  },
  further: petCounts,
});
