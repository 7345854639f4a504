import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApplicationError } from '#libs/observability';
import type { EventMetadata } from '#libs/event-sourcing';
import { assertValid, IsInt64 } from '#libs/http';

/** Refused as not implemented until its handler decides something. */
export class BlankPart extends Command<void> {
  @IsInt64()
  readonly id: bigint;

  constructor(
    values: { readonly id: unknown },
    readonly metadata: EventMetadata,
  ) {
    super();
    // The type holds once the rules have been checked, which the handler does first.
    this.id = values.id as bigint;
  }
}

@CommandHandler(BlankPart)
export class BlankPartHandler implements ICommandHandler<BlankPart> {
  async execute(command: BlankPart): Promise<void> {
    assertValid(command);
    throw new ApplicationError('not_implemented', 'The command blank-part is not implemented yet.');
  }
}
