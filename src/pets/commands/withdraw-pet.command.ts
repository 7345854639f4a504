import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Precondition } from '#libs/api-kit';
import type { EventMetadata } from '#libs/event-store';
import { assertValid, IsInt64, IsText } from '#libs/validation';
import { changePet, type ChangePetResult } from './change-pet.command.js';
import { PetReservations } from './pet-reservations.js';

/** Takes an animal out of every read, and cancels its open order. Its history is kept and its id is never given again. */
export class WithdrawPet extends Command<ChangePetResult> {
  @IsInt64()
  readonly id: bigint;

  @IsText(1000)
  readonly reason: string;

  constructor(
    values: { readonly id: unknown; readonly reason: unknown },
    readonly metadata: EventMetadata,
    readonly precondition?: Precondition,
  ) {
    super();
    // The types hold once the rules have been checked, which the handler does first.
    this.id = values.id as bigint;
    this.reason = values.reason as string;
  }
}

@CommandHandler(WithdrawPet)
export class WithdrawPetHandler implements ICommandHandler<WithdrawPet> {
  constructor(private readonly reservations: PetReservations) {}

  async execute(command: WithdrawPet): Promise<ChangePetResult> {
    assertValid(command);
    const { id, reason, metadata, precondition } = command;
    return changePet(this.reservations, { command: { kind: 'withdraw', id, reason }, metadata, precondition });
  }
}
