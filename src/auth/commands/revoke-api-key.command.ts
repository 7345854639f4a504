import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, executeDecider, type EventMetadata } from '#libs/event-store';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { apiKeyStream } from '../domain/api-key-stream.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../read-model/api-key.view.js';

/** Ends an API key for ever. Nothing is recorded when it has ended already. */
export class RevokeApiKey extends Command<ApiKeyView> {
  constructor(
    readonly id: bigint,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RevokeApiKey)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(
    private readonly store: EventStore,
    private readonly reader: ApiKeyReader,
  ) {}

  async execute({ id, metadata }: RevokeApiKey): Promise<ApiKeyView> {
    await executeDecider(this.store, { decider: apiKeyDecider, stream: apiKeyStream(id), command: { type: 'revoke', id }, metadata });
    return this.reader.get(id);
  }
}
