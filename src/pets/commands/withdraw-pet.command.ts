import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type EventMetadata } from '#libs/event-store';
import { assertValid, IsInt64, IsText } from '#libs/validation';
import { changePet, type ChangePetResult } from './change-pet.js';

/** Takes an animal out of every read. Its history is kept and its id is never given again. */
export class WithdrawPet extends Command<ChangePetResult> {
  @IsInt64()
  readonly id: bigint;

  @IsText(1000)
  readonly reason: string;

  constructor(
    values: { readonly id: unknown; readonly reason: unknown },
    readonly metadata: EventMetadata,
  ) {
    super();
    // The types hold once the rules have been checked, which the handler does first.
    this.id = values.id as bigint;
    this.reason = values.reason as string;
  }
}

@CommandHandler(WithdrawPet)
export class WithdrawPetHandler implements ICommandHandler<WithdrawPet> {
  constructor(private readonly eventStore: EventStore) {}

  async execute(command: WithdrawPet): Promise<ChangePetResult> {
    assertValid(command);
    const { id, reason, metadata } = command;
    return changePet(this.eventStore, { kind: 'withdraw', id, reason }, metadata);
  }
}
