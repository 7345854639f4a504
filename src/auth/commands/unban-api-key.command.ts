import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, executeDecider, type EventMetadata } from '#libs/event-store';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { apiKeyStream } from '../domain/api-key-stream.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../read-model/api-key.view.js';

/** Lifts the ban of an API key and starts the ladder of bans anew. Nothing is recorded when there was none since the last time. */
export class UnbanApiKey extends Command<ApiKeyView> {
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
    private readonly store: EventStore,
    private readonly reader: ApiKeyReader,
  ) {}

  async execute({ id, metadata }: UnbanApiKey): Promise<ApiKeyView> {
    await executeDecider(this.store, { decider: apiKeyDecider, stream: apiKeyStream(id), command: { type: 'unban', id }, metadata });
    return this.reader.get(id);
  }
}
