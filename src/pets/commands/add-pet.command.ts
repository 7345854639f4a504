import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IsIn } from 'class-validator';
import { ApiDescription, assertValid, IfGiven, InputCommand, IsInt64, IsText, type Unchecked } from '#libs/http';
import { EventStore, foldNewStream, type StreamAppend } from '#libs/event-sourcing';
import { petDecider } from '../domain/pet.decider.js';
import { PET_CATEGORY, PET_STATUSES, type Pet, type PetDetails, type PetStatus } from '../domain/pet.js';

/** The property is a status. @param otherwise ends the message for any other value */
export function IsPetStatus(otherwise = ''): PropertyDecorator {
  const message = `$property must be one of ${PET_STATUSES.join(', ')}${otherwise}`;
  return IsIn(PET_STATUSES, { message, context: { schema: { $ref: '#/components/schemas/PetStatus' } } });
}

/** Unchecked values of an animal; the command validates them. */
export type PetValues = Unchecked<PetDetails>;

interface AddPetResult {
  readonly pet: Pet;
  /** True if an earlier request with the idempotency key added this animal. */
  readonly replayed: boolean;
}

/** Adds an animal. */
export class AddPet extends InputCommand<PetDetails, AddPetResult> {
  @IsText(255)
  @ApiDescription('The name, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates.')
  readonly name!: string;

  @IsInt64()
  @ApiDescription('The category of the animal; any int64, written in digits.')
  readonly categoryId!: bigint;

  @IfGiven()
  @IsPetStatus(', or be omitted')
  readonly status?: PetStatus;

  protected override fixedInputs(): readonly string[] {
    return ['name', 'categoryId', 'status'];
  }
}

/** Validates the command and returns the append for it. @throws ApplicationError `invalid_request` that names every invalid field */
export function preparePetAppend(command: AddPet): StreamAppend {
  assertValid(command);
  const { name, categoryId, status } = command;
  const events = petDecider.decide({ kind: 'add', details: { name, categoryId, status } }, petDecider.initialState);
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
    return { pet: { id, ...state.details }, replayed };
  }
}
