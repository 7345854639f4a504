import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import type { EventMetadata } from '#libs/event-store';
import { ApiKeyChanges, type ChangedApiKey } from './api-key-changes.js';

/** Lifts the ban of an API key, also one that the log does not have, and starts the ladder of bans anew. */
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
  constructor(
    private readonly changes: ApiKeyChanges,
    private readonly clock: Clock,
  ) {}

  execute({ id, metadata }: UnbanApiKey): Promise<ChangedApiKey> {
    return this.changes.make({ type: 'unban', id, now: this.clock.now() }, metadata);
  }
}
