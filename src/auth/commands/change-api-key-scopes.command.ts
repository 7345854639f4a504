import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { EventMetadata } from '#libs/event-store';
import { ApiKeyChanges, type ChangedApiKey } from './api-key-changes.js';
import { Scopes } from './scopes.js';

export interface ChangeApiKeyScopesInput {
  readonly id: bigint;
  readonly change: 'add' | 'remove';
  /** Checked by the decider, which knows those that the key has. */
  readonly scope: string;
  readonly metadata: EventMetadata;
}

/** Gives an API key one more scope or takes one from it. Nothing is recorded when it has that scope, or lacks it, already. */
export class ChangeApiKeyScopes extends Command<ChangedApiKey> {
  constructor(readonly input: ChangeApiKeyScopesInput) {
    super();
  }
}

@CommandHandler(ChangeApiKeyScopes)
export class ChangeApiKeyScopesHandler implements ICommandHandler<ChangeApiKeyScopes> {
  constructor(
    private readonly changes: ApiKeyChanges,
    private readonly scopes: Scopes,
  ) {}

  execute({ input: { id, change, scope, metadata } }: ChangeApiKeyScopes): Promise<ChangedApiKey> {
    return this.changes.make({ type: `${change}-scope`, id, scope, known: this.scopes.all() }, metadata);
  }
}
