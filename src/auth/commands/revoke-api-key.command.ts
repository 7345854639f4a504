import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { EventMetadata } from '#libs/event-store';
import { ApiKeyChanges, type ChangedApiKey } from './api-key-changes.js';

/** Ends an API key for ever. Nothing is recorded when it has ended already. */
export class RevokeApiKey extends Command<ChangedApiKey> {
  constructor(
    readonly id: bigint,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RevokeApiKey)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(private readonly changes: ApiKeyChanges) {}

  execute({ id, metadata }: RevokeApiKey): Promise<ChangedApiKey> {
    return this.changes.make({ type: 'revoke', id }, metadata);
  }
}
