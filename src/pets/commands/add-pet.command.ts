import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IsIn } from 'class-validator';
import { computeFingerprint, assertValid, ApiDescription, IfGiven, IsInt64, IsText } from '#libs/http';
import {
  EventStore,
  foldEvents,
  type EventMetadata,
  type RecordedEvent,
  type RequestIdempotency,
  type StreamAppend,
} from '#libs/event-sourcing';
import { petDecider } from '../domain/pet.decider.js';
import { PET_CATEGORY, PET_STATUSES, parsePetId, type Pet, type PetStatus } from '../domain/pet.js';

/** The property is a status. @param otherwise ends the message for any other value */
export function IsPetStatus(otherwise = ''): PropertyDecorator {
  const message = `$property must be one of ${PET_STATUSES.join(', ')}${otherwise}`;
  return IsIn(PET_STATUSES, { message, context: { schema: { $ref: '#/components/schemas/PetStatus' } } });
}

/** Unchecked values of an animal; the command validates them. */
export interface PetValues {
  readonly name?: unknown;
  readonly categoryId?: unknown;
  readonly status?: unknown;
}

interface AddPetResult {
  readonly pet: Pet;
  /** True if an earlier request with the idempotency key added this animal. */
  readonly replayed: boolean;
}

/** Adds an animal. */
export class AddPet extends Command<AddPetResult> {
  @IsText(255)
  @ApiDescription('The name, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates.')
  readonly name: string;

  @IsInt64()
  @ApiDescription('The category of the animal; any int64, written in digits.')
  readonly categoryId: bigint;

  @IfGiven()
  @IsPetStatus(', or be left out')
  readonly status: PetStatus | undefined;

  constructor(
    values: PetValues,
    readonly metadata: EventMetadata,
    readonly idempotency?: RequestIdempotency,
  ) {
    super();
    // The types hold after validation, which comes before any use.
    this.name = values.name as string;
    this.categoryId = values.categoryId as bigint;
    this.status = values.status as PetStatus | undefined;
  }
}

/** Validates the command and returns the append for it. @throws ApplicationError `invalid_request` that names every invalid field */
export function preparePetAppend(command: AddPet): StreamAppend {
  assertValid(command);
  const { name, categoryId, status } = command;
  const events = petDecider.decide({ kind: 'add', details: { name, categoryId, ...(status && { status }) } }, petDecider.initialState);
  return { stream: { newIn: PET_CATEGORY }, expectedVersion: 'noStream', events };
}

@CommandHandler(AddPet)
export class AddPetHandler implements ICommandHandler<AddPet> {
  constructor(private readonly eventStore: EventStore) {}

  async execute(command: AddPet): Promise<AddPetResult> {
    const addition = preparePetAppend(command);
    const idempotency = command.idempotency && {
      ...command.idempotency,
      fingerprint: computeFingerprint([command.name, command.categoryId, command.status]),
    };
    const { events, replayed } = await this.eventStore.execute(() => [addition], { metadata: command.metadata, idempotency });
    return { pet: foldAddedPet(events), replayed };
  }
}

/** Folds the events of an append, perhaps of a newer build. */
function foldAddedPet(events: readonly RecordedEvent[]): Pet {
  const state = foldEvents(petDecider, events);
  const [first] = events;
  if (!first || state.kind === 'none') throw new Error('The event store gave back no pet-added event.');
  return { id: parsePetId(first.stream), ...state.details };
}
