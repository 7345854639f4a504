import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type EventMetadata } from '#libs/event-store';
import { assertValid, IsInt64 } from '#libs/validation';
import type { PetStatus } from '../domain/pet.js';
import { changePet, type ChangePetResult } from './change-pet.js';
import { IsPetStatus } from './pet-status.rule.js';

/** Sets the status of an animal. */
export class SetPetStatus extends Command<ChangePetResult> {
  @IsInt64()
  readonly id: bigint;

  @IsPetStatus()
  readonly status: PetStatus;

  constructor(
    values: { readonly id: unknown; readonly status: unknown },
    readonly metadata: EventMetadata,
  ) {
    super();
    // The types hold once the rules have been checked, which the handler does first.
    this.id = values.id as bigint;
    this.status = values.status as PetStatus;
  }
}

@CommandHandler(SetPetStatus)
export class SetPetStatusHandler implements ICommandHandler<SetPetStatus> {
  constructor(private readonly eventStore: EventStore) {}

  async execute(command: SetPetStatus): Promise<ChangePetResult> {
    assertValid(command);
    const { id, status, metadata } = command;
    return changePet(this.eventStore, { kind: 'set-status', id, status }, metadata);
  }
}
