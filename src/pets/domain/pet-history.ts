import { petDecider } from './pet.decider.js';
import type { PetEvent } from './pet.events.js';
import type { PetSnapshot } from './pet.js';

/** An event with the moment at which it was recorded. */
export type TimedPetEvent = PetEvent & { readonly recordedAt: Date };

/**
 * The events up to the moment, that millisecond included: always the first ones, also where an old log has times that go back.
 * @param events in order
 */
export function eventsUntil<Event extends { readonly recordedAt: Date }>(events: readonly Event[], moment: Date): readonly Event[] {
  const end = events.findIndex(({ recordedAt }) => recordedAt > moment);
  return end < 0 ? events : events.slice(0, end);
}

/**
 * The animal as its events up to the moment, that one included, have made it.
 * @param events all of its events in order
 * @returns undefined before it was added, and from its withdrawal on
 */
export function petAsOf(id: bigint, events: readonly TimedPetEvent[], moment: Date): PetSnapshot | undefined {
  const past = eventsUntil(events, moment);
  const state = past.reduce((before, event) => petDecider.evolve(before, event), petDecider.initialState);
  const [added] = past;
  return state.kind === 'present' && added ? { id, ...state.details, addedAt: added.recordedAt } : undefined;
}
