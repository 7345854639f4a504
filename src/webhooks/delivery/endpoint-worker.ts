import { backgroundTurn, TEST_TYPE, testEvent, type Following, type PublicEvent, type PublicEvents } from '#libs/http';
import type { StoredWebhook } from '../domain/webhook.js';
import type { PendingDelivery } from '../records/delivery.entity.js';
import type { Progress, ProgressChanges, Replay } from '../records/endpoint-progress.js';
import { DeliveryRecorder, WRITE_INTERVAL_MILLISECONDS, type DeliveryDependencies } from './delivery-recorder.js';

const PAGE = 50;
const TRY_AGAIN_MILLISECONDS = 1_000;

type Lane = 'news' | 'due' | 'replay';

/**
 * Sends to one endpoint while this instance holds it, in three lanes of one message after another: new events in order; pending messages
 * that are due; a replay. No lane holds up another.
 */
export class EndpointWorker {
  /** When the event happened that is being sent for the first time, in milliseconds since 1970; Infinity if there is none. */
  oldestUnsent = Infinity;
  private readonly stopping = new AbortController();
  private readonly recorder: DeliveryRecorder;
  /** The lanes that are running, until they have ended. */
  private readonly lanes = new Map<Lane, Promise<void>>();
  private position: bigint;
  private following: Following | undefined;

  /** @param endpoint with the values that its owner set last; to be replaced when they change */
  constructor(
    public endpoint: StoredWebhook,
    progress: Progress,
    private readonly dependencies: DeliveryDependencies,
  ) {
    this.position = progress.position;
    this.recorder = new DeliveryRecorder(endpoint.id, progress.failingSince, dependencies, () => this.stopping.abort());
    this.startLane('news', () => this.sendNews());
  }

  /** Whether it sends nothing any more: it was stopped, another instance acquired the endpoint, or the endpoint is disabled. */
  hasStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Whether messages of a lane are being sent, or what came of them is not written. */
  isSending(lane: 'due' | 'replay'): boolean {
    return this.lanes.has(lane) || this.recorder.isBehind(lane);
  }

  /** Sends pending messages that are due, unless others are being sent. */
  sendDue(deliveries: readonly PendingDelivery[]): void {
    const waiting = [...deliveries];
    this.startLane('due', async () => {
      for (let due = waiting[0]; due; due = waiting[0]) {
        const event = await this.readDue(due);
        // This build may not publish it.
        if (!event) this.recorder.add({}, { due });
        else if (!(await this.send(event, { due }))) return;
        waiting.shift();
      }
    });
  }

  /** Sends the events of a replay again, unless another replay is under way. */
  sendReplay({ position, until }: Replay): void {
    let from = position;
    this.startLane('replay', async () => {
      while (from < until) {
        const { events, scannedUpTo } = await this.dependencies.log.read({ ...this.filter, after: from, limit: PAGE });
        for (const event of events) {
          if (event.position <= until && !(await this.send(event))) return;
        }
        const to = scannedUpTo < until ? scannedUpTo : until;
        this.recorder.add({ replayed: { position: from, until: to } });
        from = to;
      }
    });
  }

  /**
   * Stops, aborting the messages that are being sent. Resolves when all lanes have ended and the results are written.
   * @param writes false if nothing more is to be written: the log has gone back, and the database tells where to continue
   */
  async stop(writes: boolean): Promise<void> {
    if (!writes) this.recorder.abandon();
    this.stopping.abort();
    this.following?.end();
    await Promise.all(this.lanes.values());
    if (writes) await this.dependencies.writer.flush();
    this.recorder.abandon();
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
      for (let page = await this.following.next(); page; page = await this.following.next()) if (!(await this.sendPage(page))) return;
    } finally {
      this.following.end();
    }
  }

  /** @returns false if it was stopped */
  private async sendPage({ events, scannedUpTo }: Pick<PublicEvents, 'events' | 'scannedUpTo'>): Promise<boolean> {
    for (const event of events) {
      this.oldestUnsent = event.time.getTime();
      if (!(await this.send(event, { progress: { position: event.position } }))) return false;
      this.position = event.position;
    }
    this.oldestUnsent = Infinity;
    this.position = scannedUpTo;
    return true;
  }

  /**
   * Sends a message, taking turns with all that this instance sends and reads, so that requests are served meanwhile. Its result is written
   * while the next ones are sent, unless too many are not written.
   * @param outcome.due the pending message that is sent
   * @param outcome.progress written with the result
   * @returns false if it was stopped before the outcome was known
   */
  private async send(
    event: PublicEvent,
    { due, progress = {} }: { readonly due?: PendingDelivery; readonly progress?: ProgressChanges } = {},
  ): Promise<boolean> {
    const { signal } = this.stopping;
    while (this.recorder.isFull() && !signal.aborted) await this.dependencies.timers.sleep(WRITE_INTERVAL_MILLISECONDS, { signal });
    await backgroundTurn();
    if (this.hasStopped()) return false;
    const attempt = await this.dependencies.sender.send(this.endpoint, event, due, signal);
    if (!attempt) return false;
    if (!(await this.recorder.record(attempt, due, progress))) this.stopping.abort();
    return true;
  }

  /** Returns undefined for an event that this build does not publish. */
  private async readDue({ webhookId, type, eventId, eventAt }: PendingDelivery): Promise<PublicEvent | undefined> {
    const { catalog, log } = this.dependencies;
    return type === TEST_TYPE ? testEvent(catalog, webhookId, { eventId, time: eventAt }) : log.find(BigInt(eventId));
  }
}
