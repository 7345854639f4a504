import { Inject, Injectable, Logger } from '@nestjs/common';
import { Timers } from '#libs/observability';
import {
  backgroundTurn,
  PublicEventCatalog,
  PublicEventFollower,
  TEST_TYPE,
  testEvent,
  type Following,
  type PublicEvent,
} from '#libs/http';
import { WebhookDecisions } from '../commands/webhook-decisions.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import type { DisabledReason, StoredWebhook } from '../domain/webhook.js';
import type { PendingDelivery } from '../records/delivery.entity.js';
import type { DeliveryResult } from '../records/delivery.store.js';
import type { ProgressRow } from '../records/endpoint-progress.entity.js';
import type { Replay } from '../records/endpoint-progress.js';
import { WebhookMetrics } from '../webhooks.metrics.js';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks.settings.js';
import { DeliveryWriter, WRITE_INTERVAL_MILLISECONDS } from './delivery-writer.js';
import { GONE, Sender } from './sender.js';

const REPLAY_PAGE = 50;
// So many messages to an endpoint may be sent again after a crash.
const MAX_UNWRITTEN = 500;
const TRY_AGAIN_MILLISECONDS = 1_000;

type Lane = 'news' | 'due' | 'replay';

/** What the workers of all endpoints share. */
@Injectable()
export class DeliveryDependencies {
  readonly logger = new Logger('Webhooks');

  constructor(
    readonly follower: PublicEventFollower,
    readonly catalog: PublicEventCatalog,
    readonly sender: Sender,
    readonly writer: DeliveryWriter,
    readonly metrics: WebhookMetrics,
    readonly decisions: WebhookDecisions,
    readonly timers: Timers,
    @Inject(WEBHOOKS_OPTIONS) readonly options: WebhooksOptions,
  ) {}
}

/**
 * Sends to one endpoint while this instance holds it, in three lanes of one message after another: new events in order; pending messages
 * that are due; a replay. No lane holds up another. Their results are written while the next messages are sent.
 */
export class EndpointWorker {
  /** When the event happened that is being sent for the first time, in milliseconds since 1970; Infinity if there is none. */
  oldestUnsent = Infinity;
  private readonly stopping = new AbortController();
  /** The lanes that are running, until they have ended. */
  private readonly lanes = new Map<Lane, Promise<void>>();
  private position: bigint;
  private failingSince: Date | undefined;
  private following: Following | undefined;

  /** @param endpoint with the values that its owner set last; to be replaced when they change */
  constructor(
    public endpoint: StoredWebhook,
    { position, failingSince }: ProgressRow,
    private readonly dependencies: DeliveryDependencies,
  ) {
    this.position = position;
    this.failingSince = failingSince;
    this.startLane('news', () => this.sendNews());
  }

  /** Whether it sends nothing any more: it was stopped, another instance acquired the endpoint, or the endpoint is disabled. */
  hasStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Whether messages of a lane are being sent, or the database does not know yet what came of them. */
  isSending(lane: 'due' | 'replay'): boolean {
    return (
      this.lanes.has(lane) ||
      this.unwritten().some(({ results, progress }) => (lane === 'due' ? results.some(({ due }) => due) : progress.replayed))
    );
  }

  /** Sends pending messages that are due, unless others are being sent. */
  sendDue(deliveries: readonly PendingDelivery[]): void {
    const waiting = [...deliveries];
    this.startLane('due', async () => {
      for (let due = waiting[0]; due && !this.hasStopped(); due = waiting[0]) {
        const event = await this.readDue(due);
        if (event) await this.send(event, { due });
        // This build may not publish it.
        else this.record({ due });
        waiting.shift();
      }
    });
  }

  /** Sends the events of a replay again, unless another replay is under way. */
  sendReplay({ position, until }: Replay): void {
    let from = position;
    this.startLane('replay', async () => {
      while (from < until) {
        const { events, scannedUpTo } = await this.dependencies.follower.log.read({
          ...this.filter,
          after: from,
          until,
          limit: REPLAY_PAGE,
        });
        for (const event of events) await this.send(event);
        if (this.hasStopped()) return;
        const to = scannedUpTo < until ? scannedUpTo : until;
        this.record(undefined, { position: from, until: to });
        from = to;
      }
    });
  }

  /**
   * Stops, aborting the messages that are being sent. Resolves when all lanes have ended and the results are written.
   * @param writes false if nothing more is to be written: the log has gone back, and the database tells where to continue
   */
  async stop(writes: boolean): Promise<void> {
    const { writer } = this.dependencies;
    if (!writes) writer.delete(this.endpoint.id);
    this.stopping.abort();
    this.following?.end();
    await Promise.all(this.lanes.values());
    if (writes) await writer.flush();
    writer.delete(this.endpoint.id);
  }

  private get filter() {
    const { types } = this.endpoint;
    return types ? { types } : {};
  }

  /** Runs a lane unless it is running. If the database is unavailable, it is started again after a second. */
  private startLane(name: Lane, send: () => Promise<void>): void {
    if (this.lanes.has(name)) return;
    this.lanes.set(
      name,
      this.repeatOnError(send).finally(() => this.lanes.delete(name)),
    );
  }

  private async repeatOnError(send: () => Promise<void>): Promise<void> {
    while (!this.hasStopped()) {
      try {
        await send();
        return;
      } catch (error) {
        if (this.hasStopped()) return;
        const { id } = this.endpoint;
        this.dependencies.logger.warn(`Nothing can be sent to the webhook endpoint ${id}, which is tried again: ${String(error)}`);
        await this.dependencies.timers.sleep(TRY_AGAIN_MILLISECONDS, { signal: this.stopping.signal });
      }
    }
  }

  private async sendNews(): Promise<void> {
    this.following = this.dependencies.follower.follow({ filter: () => this.filter, after: this.position });
    try {
      for (let page = await this.following.next(); page; page = await this.following.next()) {
        for (const event of page.events) {
          this.oldestUnsent = event.time.getTime();
          await this.send(event, { position: event.position });
        }
        if (this.hasStopped()) return;
        this.oldestUnsent = Infinity;
        this.position = page.scannedUpTo;
      }
    } finally {
      this.following.end();
    }
  }

  /**
   * Sends a message and records its outcome, unless it is stopped before that is known. Takes turns with all that this instance sends and
   * reads, so that requests are served meanwhile. Waits while too many results are not written.
   * @param of.due the pending message that is sent; undefined for a first attempt, also in a replay
   * @param of.position reached with it
   */
  private async send(event: PublicEvent, of: { readonly due?: PendingDelivery; readonly position?: bigint } = {}): Promise<void> {
    const { signal } = this.stopping;
    const { sender, timers } = this.dependencies;
    while (this.isFull() && !signal.aborted) await timers.sleep(WRITE_INTERVAL_MILLISECONDS, { signal });
    if (!signal.aborted) await backgroundTurn();
    const attempt = signal.aborted ? undefined : await sender.send(this.endpoint, event, of.due, signal);
    if (!attempt) return;
    this.position = of.position ?? this.position;
    await this.recordAttempt({ attempt, due: of.due });
  }

  /** Returns undefined for an event that this build does not publish. */
  private async readDue({ webhookId, type, eventId, eventAt }: PendingDelivery): Promise<PublicEvent | undefined> {
    const { catalog, follower } = this.dependencies;
    return type === TEST_TYPE ? testEvent(catalog, webhookId, { eventId, time: eventAt }) : follower.log.find(BigInt(eventId));
  }

  /** Disables the endpoint if it is gone or has failed for too long. The outcome of a test does not count as one of the endpoint. */
  private async recordAttempt({ attempt, due }: Required<DeliveryResult>): Promise<void> {
    const { type, status, error, attemptedAt } = attempt;
    const counts = type !== TEST_TYPE;
    if (counts && status !== GONE) this.failingSince = error === undefined ? undefined : (this.failingSince ?? attemptedAt);
    this.record({ attempt, due });
    if (!counts) return;
    const failingFor = attemptedAt.getTime() - (this.failingSince ?? attemptedAt).getTime();
    if (status === GONE) await this.disable('gone');
    else if (failingFor >= this.dependencies.options.settings.disableAfter) await this.disable('failing');
  }

  /** Hands a result to the writer, with how far the endpoint has come. */
  private record(result?: DeliveryResult, replayed?: Replay): void {
    const { position, failingSince } = this;
    const progress = { position, failingSince, replayed };
    this.dependencies.writer.add(this.endpoint.id, { results: result ? [result] : [], progress, lose: () => this.stopping.abort() });
  }

  private isFull(): boolean {
    return this.unwritten().reduce((count, { results }) => count + results.length, 0) >= MAX_UNWRITTEN;
  }

  private unwritten() {
    return this.dependencies.writer.unwritten(this.endpoint.id);
  }

  /** The results are written first: the progress of the endpoint is removed when it is disabled. */
  private async disable(reason: Exclude<DisabledReason, 'owner'>): Promise<void> {
    const { decisions, metrics, logger, writer } = this.dependencies;
    const { id } = this.endpoint;
    await writer.flush();
    const command = { kind: 'disable', id, reason } as const;
    const decided = await decisions.decide({ command, metadata: { actor: 'system' } }).catch((error: unknown) => {
      // It was deleted meanwhile.
      if (error instanceof WebhookNotFoundError) return undefined;
      throw error;
    });
    this.stopping.abort();
    if (!decided?.changed) return;
    metrics.disabled.inc({ reason });
    const why = reason === 'gone' ? 'its receiver says that it is gone' : 'all attempts have failed for too long';
    logger.warn(`The webhook endpoint ${id} is disabled: ${why}.`);
  }
}
