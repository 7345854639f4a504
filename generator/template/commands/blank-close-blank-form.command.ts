import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, executeDecider } from '#libs/event-sourcing';
import { assertValid, InputCommand, IsInt64 } from '#libs/http';
import { blankFormDecider, toBlankForm } from '../domain/blank-form.decider.js';
import { blankFormStream, type ChangedBlankForm } from '../domain/blank-form.js';

/** The command to blank close a blank form. */
export class BlankCloseBlankForm extends InputCommand<{ readonly id: bigint }, ChangedBlankForm> {
  @IsInt64()
  readonly id!: bigint;
}

@CommandHandler(BlankCloseBlankForm)
export class BlankCloseBlankFormHandler implements ICommandHandler<BlankCloseBlankForm> {
  constructor(private readonly eventStore: EventStore) {}

  /** @throws NotFoundError if there is none with this id */
  async execute(command: BlankCloseBlankForm): Promise<ChangedBlankForm> {
    assertValid(command);
    const { id, metadata } = command;
    const { state, events } = await executeDecider(this.eventStore, {
      decider: blankFormDecider,
      stream: blankFormStream(id),
      command: { kind: 'blank-close', ...command.values },
      metadata,
    });
    return { blankForm: toBlankForm(id, state), changed: events.length > 0 };
  }
}
