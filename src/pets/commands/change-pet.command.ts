import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Precondition } from '#libs/api-kit';
import type { EventMetadata } from '#libs/event-store';
import { assertValid, Describes, IfGiven, IsInt64, IsText } from '#libs/validation';
import type { PetStatus } from '../domain/pet.js';
import { changePet, type ChangePetResult } from './change-pet.js';
import { PetReservations } from './pet-reservations.js';
import { IsPetStatus } from './pet-status.rule.js';

/** What is to become of an animal as a caller gave it; what is left out stays as it is. */
export interface ChangedPetValues {
  readonly name?: unknown;
  readonly categoryId?: unknown;
  readonly status?: unknown;
}

/** Corrects what was recorded wrongly of an animal, and sets its status. */
export class ChangePet extends Command<ChangePetResult> {
  @IsInt64()
  readonly id: bigint;

  @IsText(255)
  @IfGiven()
  @Describes('The right name, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates.')
  readonly name: string | undefined;

  @IsInt64()
  @IfGiven()
  @Describes('The right category; any int64, written in digits.')
  readonly categoryId: bigint | undefined;

  @IfGiven()
  @IsPetStatus()
  readonly status: PetStatus | undefined;

  constructor(
    values: ChangedPetValues & { readonly id: unknown },
    readonly metadata: EventMetadata,
    readonly precondition?: Precondition,
  ) {
    super();
    // The types hold once the rules have been checked, which the handler does first.
    this.id = values.id as bigint;
    this.name = values.name as string | undefined;
    this.categoryId = values.categoryId as bigint | undefined;
    this.status = values.status as PetStatus | undefined;
  }
}

@CommandHandler(ChangePet)
export class ChangePetHandler implements ICommandHandler<ChangePet> {
  constructor(private readonly reservations: PetReservations) {}

  async execute(command: ChangePet): Promise<ChangePetResult> {
    assertValid(command);
    const { id, name, categoryId, status, metadata, precondition } = command;
    const change = { kind: 'change', id, name, categoryId, status } as const;
    return changePet(this.reservations, { command: change, metadata, precondition });
  }
}
