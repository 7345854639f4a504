import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { EventMetadata } from '#libs/event-store';
import { ApiKeyChanges, type ChangedApiKey } from './api-key-changes.js';

/** Lifts the ban of an API key and starts the ladder of bans anew. Nothing is recorded when there was none since the last time. */
export class UnbanApiKey extends Command<ChangedApiKey> {
  constructor(
    readonly id: bigint,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(UnbanApiKey)
export class UnbanApiKeyHandler implements ICommandHandler<UnbanApiKey> {
  constructor(private readonly changes: ApiKeyChanges) {}

  execute({ id, metadata }: UnbanApiKey): Promise<ChangedApiKey> {
    return this.changes.make({ type: 'unban', id }, metadata);
  }
}
