import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertValid, inputCommand, type Unchecked } from '#libs/http';
import { EventStore, foldNewStream, type StreamAppend } from '#libs/event-sourcing';
import { petDecider } from '../domain/pet.decider.js';
import { PetFields, toPet } from '../domain/pet-fields.js';
import { PET_CATEGORY, type Pet, type PetDetails } from '../domain/pet.js';

/** Unchecked values of an animal; the command validates them. */
export type PetValues = Unchecked<PetDetails>;

interface AddPetResult {
  readonly pet: Pet;
  /** True if an earlier request with the idempotency key added this animal. */
  readonly replayed: boolean;
}

/** Adds an animal. */
export class AddPet extends inputCommand(PetFields)<AddPetResult> {
  protected override fixedInputs(): readonly string[] {
    return ['name', 'categoryId', 'status'];
  }
}

/** Validates the command and returns the append for it. @throws ApplicationError `invalid_request` that names every invalid field */
export function preparePetAppend(command: AddPet): StreamAppend {
  assertValid(command);
  const events = petDecider.decide({ kind: 'add', details: command.values }, petDecider.initialState);
  return { stream: { newIn: PET_CATEGORY }, events };
}

@CommandHandler(AddPet)
export class AddPetHandler implements ICommandHandler<AddPet> {
  constructor(private readonly eventStore: EventStore) {}

  async execute(command: AddPet): Promise<AddPetResult> {
    const addition = preparePetAppend(command);
    const { events, replayed } = await this.eventStore.execute(() => [addition], command.appendOptions);
    const { id, state } = foldNewStream(petDecider, events);
    if (state.kind === 'none') throw new Error('The event store gave back no pet-added event.');
    return { pet: toPet({ id, ...state.details }), replayed };
  }
}
