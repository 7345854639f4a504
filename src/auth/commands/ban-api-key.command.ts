import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, executeDecider, type EventMetadata } from '#libs/event-sourcing';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { apiKeyStream } from '../domain/api-key.js';

export interface BanApiKeyInput {
  readonly id: bigint;
  readonly until: Date;
  /** Which ban of the ladder of ever longer bans it is, from 1. */
  readonly step: number;
  /** How often bans of the key had been lifted when this one was imposed. */
  readonly unbans: number;
  readonly metadata: EventMetadata;
}

/** Records a ban that is in force already. Nothing is recorded if the key is revoked or the ban was lifted in the meantime. */
export class BanApiKey extends Command<void> {
  constructor(readonly input: BanApiKeyInput) {
    super();
  }
}

@CommandHandler(BanApiKey)
export class BanApiKeyHandler implements ICommandHandler<BanApiKey> {
  constructor(private readonly store: EventStore) {}

  // Reads no key back: the limiter bans while the read model may be unavailable.
  async execute({ input: { metadata, ...ban } }: BanApiKey): Promise<void> {
    const command = { type: 'ban', ...ban } as const;
    await executeDecider(this.store, { decider: apiKeyDecider, stream: apiKeyStream(ban.id), command, metadata });
  }
}
