import { executeDecider, type EventMetadata, type EventStore } from '#libs/event-store';
import { petDecider, type PetCommand } from '../domain/pet.decider.js';
import { PetNotFoundError } from '../domain/pet.errors.js';
import { petStream, type Pet } from '../domain/pet.js';

export interface ChangePetResult {
  /** The animal afterwards; a withdrawn one as it was last known. */
  readonly pet: Pet;
  /** False when everything was so already and no event was written. */
  readonly changed: boolean;
}

/**
 * Decides a change of an animal that exists and appends what follows from it.
 * @throws PetNotFoundError when the animal is missing or withdrawn.
 */
export async function changePet(
  store: EventStore,
  command: Exclude<PetCommand, { kind: 'add' }>,
  metadata: EventMetadata,
): Promise<ChangePetResult> {
  const stream = petStream(command.id);
  const { state, events } = await executeDecider(store, { decider: petDecider, stream, command, metadata });
  if (state.kind === 'none') throw new PetNotFoundError(command.id);
  return { pet: { id: command.id, ...state.details }, changed: events.length > 0 };
}
