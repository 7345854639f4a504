import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, foldNewStream } from '#libs/event-sourcing';
import { assertValid, inputCommand } from '#libs/http';
import { blankFormDecider, toBlankForm } from '../domain/blank-form.decider.js';
import { BLANK_FORM_CATEGORY, type BlankForm, BlankFormFields } from '../domain/blank-form.js';

export interface BlankOpenedBlankForm {
  readonly blankForm: BlankForm;
  /** True if an earlier request with the idempotency key did it and nothing was done now. */
  readonly replayed: boolean;
}

/** The command to blank open a blank form. */
export class BlankOpenBlankForm extends inputCommand(BlankFormFields)<BlankOpenedBlankForm> {}

@CommandHandler(BlankOpenBlankForm)
export class BlankOpenBlankFormHandler implements ICommandHandler<BlankOpenBlankForm> {
  constructor(private readonly eventStore: EventStore) {}

  async execute(command: BlankOpenBlankForm): Promise<BlankOpenedBlankForm> {
    assertValid(command);
    const { events, replayed } = await this.eventStore.execute(() => {
      const decided = blankFormDecider.decide({ kind: 'blank-open', blankForm: command.values }, blankFormDecider.initialState);
      return [{ stream: { newIn: BLANK_FORM_CATEGORY }, events: decided }];
    }, command.appendOptions);
    const { id, state } = foldNewStream(blankFormDecider, events);
    return { blankForm: toBlankForm(id, state), replayed };
  }
}
