import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, executeDecider, type EventMetadata } from '#libs/event-store';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { apiKeyStream } from '../domain/api-key-stream.js';

export interface BanApiKeyInput {
  readonly id: bigint;
  readonly until: Date;
  /** The place on the ladder of ever longer bans, from 1. */
  readonly step: number;
  /** How often bans of the key had been lifted when this one was imposed. */
  readonly unbans: number;
  readonly metadata: EventMetadata;
}

/** Records a ban that is in force already. Nothing is recorded when the key is revoked or the ban was lifted in the meantime. */
export class BanApiKey extends Command<void> {
  constructor(readonly input: BanApiKeyInput) {
    super();
  }
}

@CommandHandler(BanApiKey)
export class BanApiKeyHandler implements ICommandHandler<BanApiKey> {
  constructor(private readonly store: EventStore) {}

  async execute({ input: { metadata, ...ban } }: BanApiKey): Promise<void> {
    const command = { type: 'ban', ...ban } as const;
    await executeDecider(this.store, { decider: apiKeyDecider, stream: apiKeyStream(ban.id), command, metadata });
  }
}
