import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { computeFingerprint, assertValid, ApiDescription, IsText } from '#libs/http';
import { EventStore, foldEvents, type EventMetadata, type RecordedEvent, type RequestIdempotency } from '#libs/event-sourcing';
import { blankFormDecider } from '../domain/blank-form.decider.js';
import { BLANK_FORM_CATEGORY, parseBlankFormId, toBlankForm, type BlankForm } from '../domain/blank-form.js';

/** The values as a caller gave them; the rules of the command decide about them. */
export interface NewBlankFormValues {
  readonly name?: unknown;
}

export interface AddedBlankForm {
  readonly blankForm: BlankForm;
  /** True when the idempotency key had already added this one and nothing was added now. */
  readonly replayed: boolean;
}

/** Adds one. The name is kept exactly as it was given. */
export class AddBlankForm extends Command<AddedBlankForm> {
  @IsText(255)
  @ApiDescription('The name, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates.')
  readonly name: string;

  constructor(
    values: NewBlankFormValues,
    readonly metadata: EventMetadata,
    readonly idempotency?: RequestIdempotency,
  ) {
    super();
    // The type holds once the rules have been checked, which the handler does first.
    this.name = values.name as string;
  }
}

@CommandHandler(AddBlankForm)
export class AddBlankFormHandler implements ICommandHandler<AddBlankForm> {
  constructor(private readonly eventStore: EventStore) {}

  async execute(command: AddBlankForm): Promise<AddedBlankForm> {
    assertValid(command);
    const { name, metadata, idempotency } = command;
    const decide = () => {
      const events = blankFormDecider.decide({ kind: 'add', name }, blankFormDecider.initialState);
      return [{ stream: { newIn: BLANK_FORM_CATEGORY }, expectedVersion: 'noStream', events } as const];
    };
    const once = idempotency && { ...idempotency, fingerprint: computeFingerprint([name]) };
    const { events, replayed } = await this.eventStore.execute(decide, { metadata, idempotency: once });
    return { blankForm: foldAddedBlankForm(events), replayed };
  }
}

/** The one that these events, of a newer build perhaps, have added. */
function foldAddedBlankForm(events: readonly RecordedEvent[]): BlankForm {
  const [first] = events;
  if (!first) throw new Error('The event store gave back no blank-form-added event.');
  return toBlankForm(parseBlankFormId(first.stream), foldEvents(blankFormDecider, events));
}
