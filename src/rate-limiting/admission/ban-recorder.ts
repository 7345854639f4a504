import { Injectable } from '@nestjs/common';
import { Timers } from '#libs/observability';
import { WriteBehind } from '#libs/event-sourcing';
import { KeyDecisions, type RecordedBan } from '../../auth/index.js';

const RETRY_MILLISECONDS = 1_000;

type BanOfKey = RecordedBan & { readonly id: bigint };

/** Writes bans that are in force already to the log, and retries until that succeeds, at a shutdown once. */
@Injectable()
export class BanRecorder extends WriteBehind<string, BanOfKey> {
  constructor(
    private readonly decisions: KeyDecisions,
    timers: Timers,
  ) {
    super({ content: 'the bans of API keys that are in force', intervalMilliseconds: RETRY_MILLISECONDS, timers });
  }

  /** Returns at once. */
  record(id: bigint, ban: RecordedBan): void {
    this.add(`${id}/${ban.until}`, { id, ...ban });
    void this.flush();
  }

  /** Appends without reading the read model, which may be unavailable. */
  protected async write(bans: ReadonlyMap<string, BanOfKey>): Promise<void> {
    for (const { id, until, step, unbans } of bans.values()) {
      await this.decisions.append(id, { type: 'record-ban', until: new Date(until), step, unbans }, { metadata: { actor: 'system' } });
    }
  }
}
