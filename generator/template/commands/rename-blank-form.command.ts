import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, executeDecider, type EventMetadata } from '#libs/event-sourcing';
import { assertValid, IsInt64, IsText } from '#libs/http';
import { blankFormDecider } from '../domain/blank-form.decider.js';
import { toBlankForm, blankFormStream, type BlankForm } from '../domain/blank-form.js';

export interface RenamedBlankForm {
  readonly blankForm: BlankForm;
  /** False when it had the name already and no event was written. */
  readonly changed: boolean;
}

/** Gives one another name. */
export class RenameBlankForm extends Command<RenamedBlankForm> {
  @IsInt64()
  readonly id: bigint;

  @IsText(255)
  readonly name: string;

  constructor(
    values: { readonly id: unknown; readonly name: unknown },
    readonly metadata: EventMetadata,
  ) {
    super();
    // The types hold once the rules have been checked, which the handler does first.
    this.id = values.id as bigint;
    this.name = values.name as string;
  }
}

@CommandHandler(RenameBlankForm)
export class RenameBlankFormHandler implements ICommandHandler<RenameBlankForm> {
  constructor(private readonly eventStore: EventStore) {}

  /** @throws BlankFormNotFoundError when there is none with this id. */
  async execute(command: RenameBlankForm): Promise<RenamedBlankForm> {
    assertValid(command);
    const { id, name, metadata } = command;
    const { state, events } = await executeDecider(this.eventStore, {
      decider: blankFormDecider,
      stream: blankFormStream(id),
      command: { kind: 'rename', id, name },
      metadata,
    });
    return { blankForm: toBlankForm(id, state), changed: events.length > 0 };
  }
}
