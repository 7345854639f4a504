import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type EventMetadata } from '#libs/event-store';
import { assertValid, IfGiven, IsInt64, IsText } from '#libs/validation';
import { changePet, type ChangePetResult } from './change-pet.js';

/** Corrects what was recorded wrongly of an animal. What is undefined stays as it is. */
export class CorrectPet extends Command<ChangePetResult> {
  @IsInt64()
  readonly id: bigint;

  @IsText(255)
  @IfGiven()
  readonly name: string | undefined;

  @IsInt64()
  @IfGiven()
  readonly categoryId: bigint | undefined;

  constructor(
    values: { readonly id: unknown; readonly name?: unknown; readonly categoryId?: unknown },
    readonly metadata: EventMetadata,
  ) {
    super();
    // The types hold once the rules have been checked, which the handler does first.
    this.id = values.id as bigint;
    this.name = values.name as string | undefined;
    this.categoryId = values.categoryId as bigint | undefined;
  }
}

@CommandHandler(CorrectPet)
export class CorrectPetHandler implements ICommandHandler<CorrectPet> {
  constructor(private readonly eventStore: EventStore) {}

  async execute(command: CorrectPet): Promise<ChangePetResult> {
    assertValid(command);
    const { id, name, categoryId, metadata } = command;
    return changePet(this.eventStore, { kind: 'correct', id, name, categoryId }, metadata);
  }
}
