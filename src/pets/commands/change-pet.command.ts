import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { PartialType } from '@nestjs/swagger';
import { assertValid, inputCommand, InputCommand, IsInt64, IsText, type Precondition, type Unchecked } from '#libs/http';
import { type EventMetadata, retryConflicts, type StreamAppend } from '#libs/event-sourcing';
import type { PetCommand } from '../domain/pet.decider.js';
import { PetFields } from '../domain/pet-fields.js';
import type { Pet } from '../domain/pet.js';
import { PetReservations } from './pet-reservations.js';

class PetChanges extends PartialType(PetFields, { skipNullProperties: false }) {
  @IsInt64()
  readonly id!: bigint;
}

/** Corrects the data of an animal and sets its status. Undefined values stay unchanged. */
export class ChangePet extends inputCommand(PetChanges)<ChangePetResult> {
  constructor(
    values: Unchecked<PetChanges>,
    metadata: EventMetadata,
    readonly precondition?: Precondition,
  ) {
    super(values, metadata);
  }
}

@CommandHandler(ChangePet)
export class ChangePetHandler implements ICommandHandler<ChangePet> {
  constructor(private readonly reservations: PetReservations) {}

  async execute(command: ChangePet): Promise<ChangePetResult> {
    assertValid(command);
    return changePet(this.reservations, command, { kind: 'change', ...command.values });
  }
}

export interface ChangePetResult {
  /** The animal after the change; a withdrawn one as last known. */
  readonly pet: Pet;
  /** False if nothing changed and no event was written. */
  readonly changed: boolean;
  /** The order that the withdrawal cancelled. */
  readonly cancelledOrder?: bigint | undefined;
}

/**
 * Changes or withdraws an animal, with what follows for other modules, such as the end of its order.
 * @throws PetNotFoundError if the animal is missing or withdrawn
 * @throws PetHasOpenOrderError, or what another module refuses the change with
 */
function changePet(
  reservations: PetReservations,
  { metadata, precondition }: ChangePet | WithdrawPet,
  change: Extract<PetCommand, { kind: 'change' | 'withdraw' }>,
): Promise<ChangePetResult> {
  return retryConflicts(async () => {
    const pet = await reservations.load(change.id);
    pet.requirePresent();
    precondition?.(pet.pet);
    const others = await reservations.participants.before({ ...change, pet });
    // An overdue order has ended by now, as an expired one.
    const cancelledOrder = change.kind === 'withdraw' && hasEvents(others) ? pet.reservedBy : undefined;
    const appends = [...others, ...pet.decide(change)];
    const changed = hasEvents(appends);
    if (changed) await reservations.append(appends, { metadata });
    return { pet: pet.pet, changed, cancelledOrder };
  });
}

/** Others may only say that their streams are unchanged, by appends without events. */
function hasEvents(appends: readonly StreamAppend[]): boolean {
  return appends.some(({ events }) => events.length > 0);
}

/** Hides an animal from all reads and cancels its open order. Its history stays and its id is never used again. */
export class WithdrawPet extends InputCommand<Withdrawal, ChangePetResult> {
  @IsInt64()
  readonly id!: bigint;

  @IsText(1000)
  readonly reason!: string;

  constructor(
    values: Unchecked<Withdrawal>,
    metadata: EventMetadata,
    readonly precondition?: Precondition,
  ) {
    super(values, metadata);
  }
}

type Withdrawal = Pick<WithdrawPet, 'id' | 'reason'>;

@CommandHandler(WithdrawPet)
export class WithdrawPetHandler implements ICommandHandler<WithdrawPet> {
  constructor(private readonly reservations: PetReservations) {}

  async execute(command: WithdrawPet): Promise<ChangePetResult> {
    assertValid(command);
    return changePet(this.reservations, command, { kind: 'withdraw', ...command.values });
  }
}
