import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { EventMetadata } from '#libs/event-sourcing';
import type { RecordBan } from '../domain/api-key.decider.js';
import { KeyDecisions } from './key-decisions.js';

/** Records a ban that is in force already. Nothing is recorded if the key is revoked or the ban was lifted in the meantime. */
export class BanApiKey extends Command<void> {
  constructor(readonly input: Omit<RecordBan, 'type'> & { readonly id: bigint; readonly metadata: EventMetadata }) {
    super();
  }
}

@CommandHandler(BanApiKey)
export class BanApiKeyHandler implements ICommandHandler<BanApiKey> {
  constructor(private readonly decisions: KeyDecisions) {}

  // Reads no key back: the limiter bans while the read model may be unavailable.
  async execute({ input: { id, metadata, ...ban } }: BanApiKey): Promise<void> {
    await this.decisions.append(id, { type: 'ban', ...ban }, { metadata });
  }
}
