import { TEST_TYPE, type PendingDelivery } from '../records/delivery.js';
import type { Message } from './message.js';
import type { DeliveryBuffer } from './delivery-buffer.js';
import { nextAttemptAt } from './retry-schedule.js';
import type { Sent } from './sender.js';
import type { DeliveryDependencies } from './delivery-dependencies.js';

/** What a message is, and which attempt to send it was made. */
interface Attempt extends Omit<Message, 'body' | 'trace' | 'uniquePart'> {
  readonly attempt: number;
  readonly id?: bigint | undefined;
}

/** Decides what follows from what came of the messages to one endpoint, and notes it. */
export class Outcomes {
  constructor(
    private readonly webhookId: bigint,
    private failingSince: Date | undefined,
    private readonly buffer: DeliveryBuffer,
    private readonly dependencies: Pick<DeliveryDependencies, 'options' | 'metrics' | 'disable'>,
  ) {}

  /**
   * Of the first attempt to send a message, by itself or in a replay.
   * @returns whether the endpoint is to be sent more
   */
  async ofFirst({ body: _body, trace: _trace, uniquePart: _part, ...message }: Message, sent: Sent): Promise<boolean> {
    const next = this.note({ ...message, attempt: 1 }, sent);
    if (next) this.buffer.noteFailed({ webhookId: this.webhookId, ...message, attempt: 2, dueAt: next });
    return this.judge(sent);
  }

  /**
   * Of an attempt to send a message that was due. What came of a test says nothing of the endpoint.
   * @returns whether the endpoint is to be sent more
   */
  async ofDue(due: PendingDelivery, sent: Sent): Promise<boolean> {
    const { eventId, type, eventAt, attempt, deliveryId: id } = due;
    this.buffer.noteSettled(due, this.note({ eventId, type, eventAt, attempt, id }, sent));
    return type === TEST_TYPE || this.judge(sent);
  }

  /** @returns when it is to be sent once more */
  private note(made: Attempt, sent: Sent): Date | undefined {
    const { outcome, attemptedAt, retryAfter, ...result } = sent;
    const { retryDelays } = this.dependencies.options;
    const isRepeated = outcome === 'failed' && made.type !== TEST_TYPE;
    const next = isRepeated
      ? nextAttemptAt({ delays: retryDelays, random: Math.random }, { attempt: made.attempt, failedAt: attemptedAt, retryAfter })
      : undefined;
    const { id, ...attempt } = made;
    this.buffer.noteAttempt({
      ...attempt,
      ...result,
      attemptedAt,
      ...(id !== undefined && { id }),
      ...(next && { nextAttemptAt: next }),
    });
    this.dependencies.metrics.attempted(outcome === 'delivered' ? 'delivered' : 'failed');
    if (isRepeated && !next) this.dependencies.metrics.attempted('given_up');
    return next;
  }

  private async judge({ outcome, attemptedAt }: Sent): Promise<boolean> {
    if (outcome === 'gone') return this.disable('gone');
    if (outcome === 'delivered') {
      if (this.failingSince) this.buffer.noteProgress({ failingSince: null });
      this.failingSince = undefined;
      return true;
    }
    if (!this.failingSince) this.buffer.noteProgress({ failingSince: attemptedAt });
    this.failingSince ??= attemptedAt;
    const isGivenUp = attemptedAt.getTime() - this.failingSince.getTime() >= this.dependencies.options.disableAfter;
    return isGivenUp ? this.disable('failing') : true;
  }

  /** What came of the messages so far is written first: how far the endpoint has come is forgotten once it is turned off. */
  private async disable(reason: 'gone' | 'failing'): Promise<false> {
    if (await this.buffer.write()) await this.dependencies.disable(this.webhookId, reason);
    return false;
  }
}
