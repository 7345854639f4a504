import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Timers } from '#libs/observability';
import { WriteBehind } from '#libs/event-sourcing';
import { BanApiKey, type RecordedBan } from '../../auth/index.js';

const RETRY_MILLISECONDS = 1_000;

/** Writes bans that are in force already to the log, and retries until that succeeds, at a shutdown once. */
@Injectable()
export class BanRecorder extends WriteBehind<string, BanApiKey> {
  constructor(
    private readonly commands: CommandBus,
    timers: Timers,
  ) {
    super({ content: 'the bans of API keys that are in force', intervalMilliseconds: RETRY_MILLISECONDS, timers });
  }

  /** Returns at once. */
  record(id: bigint, { until, step, unbans }: RecordedBan): void {
    this.add(`${id}/${until}`, new BanApiKey({ id, until: new Date(until), step, unbans, metadata: { actor: 'system' } }));
    void this.flush();
  }

  protected async write(bans: ReadonlyMap<string, BanApiKey>): Promise<void> {
    for (const ban of bans.values()) await this.commands.execute(ban);
  }
}
