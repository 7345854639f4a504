import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { systemTimers } from '#libs/observability';
import { BanApiKey, type RecordedBan } from '../../auth/index.js';

const FIRST_PAUSE_MILLISECONDS = 250;
const LONGEST_PAUSE_MILLISECONDS = 30_000;

/** Writes bans that are in force already to the log, and retries until that succeeds. */
@Injectable()
export class BanRecorder implements OnApplicationShutdown {
  private readonly logger = new Logger(BanRecorder.name);
  private readonly recordings = new Set<Promise<void>>();
  private readonly shutdown = new AbortController();

  constructor(private readonly commands: CommandBus) {}

  /** Returns at once. */
  record(keyId: bigint, { until, step, unbans }: RecordedBan): void {
    const command = new BanApiKey({ id: keyId, until: new Date(until), step, unbans, metadata: { actor: 'system' } });
    const recording = this.persist(command).finally(() => this.recordings.delete(recording));
    this.recordings.add(recording);
  }

  /** Resolves when every ban so far is in the log, or its write was retried once. */
  async onApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await Promise.all(this.recordings);
  }

  private async persist(command: BanApiKey): Promise<void> {
    const { id, until, step } = command.input;
    for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MILLISECONDS)) {
      try {
        await this.commands.execute(command);
        return;
      } catch (error) {
        this.logger.error(
          `The ban of API key ${id} until ${until.toISOString()} (step ${step}) is in force but not in the log yet: ${String(error)}`,
        );
      }
      if (this.shutdown.signal.aborted) return;
      // Ends early at shutdown, for a last attempt.
      await systemTimers.sleep(pause, { ref: false, signal: this.shutdown.signal });
    }
  }
}
