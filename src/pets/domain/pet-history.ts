import { petDecider } from './pet.decider.js';
import type { PetEvent } from './pet.events.js';
import type { PetSnapshot } from './pet.js';

/** An event with the moment at which it was recorded. */
export type TimedPetEvent = PetEvent & { readonly recordedAt: Date };

/**
 * The animal as these events have made it.
 * @param events the first ones of its stream, in order
 * @returns undefined before it was added, and from its withdrawal on
 */
export function petAfter(id: bigint, events: readonly TimedPetEvent[]): PetSnapshot | undefined {
  const state = events.reduce((before, event) => petDecider.evolve(before, event), petDecider.initialState);
  const [added] = events;
  return state.kind === 'present' && added ? { id, ...state.details, addedAt: added.recordedAt } : undefined;
}
