import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { PickType } from '@nestjs/swagger';
import { EventStore, executeDecider } from '#libs/event-sourcing';
import { assertValid, inputCommand, IsInt64 } from '#libs/http';
import { blankFormDecider, toBlankForm } from '../domain/blank-form.decider.js';
import { BLANK_CHANGE_FIELDS, BlankFormFields, blankFormStream, type ChangedBlankForm } from '../domain/blank-form.js';

class BlankChangeBlankFormInputs extends PickType(BlankFormFields, BLANK_CHANGE_FIELDS) {
  @IsInt64()
  readonly id!: bigint;
}

/** The command to blank change a blank form. An optional member that is omitted is removed. */
export class BlankChangeBlankForm extends inputCommand(BlankChangeBlankFormInputs)<ChangedBlankForm> {}

@CommandHandler(BlankChangeBlankForm)
export class BlankChangeBlankFormHandler implements ICommandHandler<BlankChangeBlankForm> {
  constructor(private readonly eventStore: EventStore) {}

  /** @throws NotFoundError if there is none with this id */
  async execute(command: BlankChangeBlankForm): Promise<ChangedBlankForm> {
    assertValid(command);
    const { id, metadata } = command;
    const { state, events } = await executeDecider(this.eventStore, {
      decider: blankFormDecider,
      stream: blankFormStream(id),
      command: { kind: 'blank-change', ...command.values },
      metadata,
    });
    return { blankForm: toBlankForm(id, state), changed: events.length > 0 };
  }
}
