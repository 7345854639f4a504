import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApplicationError } from '#libs/observability';
import { assertValid, InputCommand, IsInt64 } from '#libs/http';

/** Refused until its handler decides something. */
export class BlankPart extends InputCommand<{ readonly id: bigint }, void> {
  @IsInt64()
  readonly id!: bigint;
}

@CommandHandler(BlankPart)
export class BlankPartHandler implements ICommandHandler<BlankPart> {
  async execute(command: BlankPart): Promise<void> {
    assertValid(command);
    throw new ApplicationError('internal_error', 'The command blank-part is not implemented yet.');
  }
}
