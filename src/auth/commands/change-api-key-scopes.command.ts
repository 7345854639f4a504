import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, executeDecider, type EventMetadata } from '#libs/event-store';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { apiKeyStream } from '../domain/api-key-stream.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../read-model/api-key.view.js';
import { Scopes } from './scopes.js';

export interface ChangeApiKeyScopesInput {
  readonly id: bigint;
  readonly change: 'add' | 'remove';
  /** Checked by the decider, which knows those that the key has. */
  readonly scope: string;
  readonly metadata: EventMetadata;
}

/** Gives an API key one more scope or takes one from it. Nothing is recorded when it has that scope, or lacks it, already. */
export class ChangeApiKeyScopes extends Command<ApiKeyView> {
  constructor(readonly input: ChangeApiKeyScopesInput) {
    super();
  }
}

@CommandHandler(ChangeApiKeyScopes)
export class ChangeApiKeyScopesHandler implements ICommandHandler<ChangeApiKeyScopes> {
  constructor(
    private readonly store: EventStore,
    private readonly reader: ApiKeyReader,
    private readonly scopes: Scopes,
  ) {}

  async execute({ input: { id, change, scope, metadata } }: ChangeApiKeyScopes): Promise<ApiKeyView> {
    const command = { type: `${change}-scope`, id, scope, known: this.scopes.all() } as const;
    await executeDecider(this.store, { decider: apiKeyDecider, stream: apiKeyStream(id), command, metadata });
    return this.reader.get(id);
  }
}
