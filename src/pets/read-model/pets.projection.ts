import { streamProjection } from '#libs/event-sourcing';
import { petDecider } from '../domain/pet.decider.js';
import { petEvents } from '../domain/pet.events.js';
import { petCounts } from './pet-counts.js';
import { PetRow } from './pet.entity.js';

/** The visible animals, one row each, and their counts. */
export const petsProjection = streamProjection({
  entity: PetRow,
  version: 2,
  events: petEvents,
  evolve(pet, event) {
    const state = petDecider.evolve(pet ? { kind: 'present', details: pet } : petDecider.initialState, event);
    return state.kind === 'present' ? { ...state.details, addedAt: pet?.addedAt ?? event.recordedAt } : undefined;
  },
  further: petCounts,
});
