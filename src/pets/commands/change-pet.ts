import type { Precondition } from '#libs/api-kit';
import { retryConflicts, type EventMetadata } from '#libs/event-store';
import type { PetCommand } from '../domain/pet.decider.js';
import type { Pet } from '../domain/pet.js';
import type { PetAggregate } from './pet-aggregate.js';
import type { EndedOrder, PetReservations } from './pet-reservations.js';

/** One change of an animal, and what may stop it. */
export interface PetChange {
  readonly command: Extract<PetCommand, { kind: 'change' | 'withdraw' }>;
  readonly metadata: EventMetadata;
  /** Held against the animal as it is before. */
  readonly precondition?: Precondition | undefined;
}

export interface ChangePetResult {
  /** The animal afterwards; a withdrawn one as it was last known. */
  readonly pet: Pet;
  /** False when everything was so already and no event was written. */
  readonly changed: boolean;
  /** The order that was cancelled with the withdrawal. */
  readonly cancelledOrder?: bigint;
}

/**
 * Decides a change of an animal that exists and appends what follows from it, together with the end of its order where that follows too.
 * @throws PetNotFoundError when the animal is missing or withdrawn.
 * @throws PetHasOpenOrderError
 */
export function changePet(reservations: PetReservations, { command, metadata, precondition }: PetChange): Promise<ChangePetResult> {
  return retryConflicts(async () => {
    const pet = await reservations.load(command.id);
    pet.requirePresent();
    precondition?.(pet.pet);
    const { appends: ended, cancelled } = await endOrder(reservations, pet, command);
    const appends = [...ended, ...pet.decide(command)];
    if (appends.length > 0) await reservations.append(appends, { metadata });
    return { pet: pet.pet, changed: appends.length > 0, ...(cancelled !== undefined && { cancelledOrder: cancelled }) };
  });
}

async function endOrder(reservations: PetReservations, pet: PetAggregate, command: PetChange['command']): Promise<EndedOrder> {
  if (command.kind === 'withdraw') return reservations.end(pet, command.reason);
  // Also for the status that it shows: a reservation that has ended would take that away again.
  return { appends: command.status === undefined ? [] : await reservations.lapse(pet) };
}
