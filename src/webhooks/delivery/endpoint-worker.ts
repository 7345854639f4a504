import { setTimeout as delay } from 'node:timers/promises';
import { backgroundTurn, matchesFilter, type NewEvents } from '#libs/public-events';
import { TEST_TYPE, type PendingDelivery } from '../records/delivery.js';
import type { Progress, Replay } from '../records/endpoint-progress.js';
import type { StoredWebhook } from '../read-model/webhook-rows.js';
import { messageOf, testMessage, type Message } from './message.js';
import { DeliveryBuffer } from './delivery-buffer.js';
import { Outcomes } from './outcomes.js';
import type { Sent } from './sender.js';
import { AsyncSignal } from './async-signal.js';
import type { DeliveryDependencies } from './delivery-dependencies.js';

const PAGE = 50;
const TRY_AGAIN_MILLISECONDS = 1_000;

/**
 * Sends to one endpoint, for as long as this instance has it. What happens is sent in order, one message after another; beside it, each
 * one after another too, what failed before and what is replayed, so that neither holds up what happens now.
 */
export class EndpointWorker {
  private readonly stopping = new AbortController();
  private readonly buffer: DeliveryBuffer;
  private readonly outcomes: Outcomes;
  private readonly news = new AsyncSignal();
  private readonly lanes = new Set<Promise<void>>();
  /** What is due, by the id of the event, until it is written down what came of it. */
  private readonly due = new Map<string, PendingDelivery>();
  /** Those of them of which it is noted, but not yet written. */
  private readonly settled = new Set<string>();
  private isSendingDue = false;
  private replay: Replay | undefined;
  private position: bigint;
  private isWaiting = false;
  private firstUnsent: Date | undefined;
  private writes = true;

  constructor(
    private endpoint: StoredWebhook,
    progress: Progress,
    private readonly dependencies: DeliveryDependencies,
  ) {
    this.position = progress.position;
    this.buffer = new DeliveryBuffer(dependencies.writer, endpoint.id);
    this.outcomes = new Outcomes(endpoint.id, progress.failingSince, this.buffer, dependencies);
    this.run(() => this.sendNews());
  }

  /** The event with which the endpoint was enabled that this is for. */
  get startsAfter(): bigint {
    return this.endpoint.startsAfter;
  }

  /** When the event happened that is being sent for the first time; undefined where nothing waits for that. */
  get oldestUnsent(): Date | undefined {
    return this.firstUnsent;
  }

  /** Takes over what its owner has changed. */
  update(endpoint: StoredWebhook): void {
    this.endpoint = endpoint;
  }

  /** Told of everything that happens. */
  takeNews({ events, passed }: NewEvents): void {
    const hasMatch = events.some((event) => event.position > this.position && matchesFilter(this.filter, event));
    if (this.isWaiting && !hasMatch) this.position = passed > this.position ? passed : this.position;
    else this.news.wake();
  }

  /** Told of what is to be sent once more, or by hand, as often as it is due. */
  takeDue(deliveries: readonly PendingDelivery[]): void {
    for (const delivery of deliveries) if (!this.due.has(delivery.eventId)) this.due.set(delivery.eventId, delivery);
    if (this.isSendingDue || this.due.size === 0) return;
    this.isSendingDue = true;
    this.run(() => this.sendDue().finally(() => (this.isSendingDue = false)));
  }

  /** Told of what is to be replayed, as often as it is not over. */
  takeReplay(replay: Replay): void {
    const isRunning = this.replay !== undefined;
    if (this.replay && replay.position >= this.replay.position && replay.until <= this.replay.until) return;
    this.replay = replay;
    if (!isRunning) this.run(() => this.sendReplay().finally(() => (this.replay = undefined)));
  }

  /** Ends it without writing anything more, since the log has gone back: where it is to go on is what the database says. */
  abandon(): Promise<void> {
    this.writes = false;
    return this.stop();
  }

  /** Ends it, with what is being sent. Resolves when nothing is done any more and what came of it is written. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.news.wake();
    await Promise.all(this.lanes);
    await this.write().catch(() => undefined);
  }

  /** Whether it sends nothing any more: it was ended, another instance has the endpoint, or it is disabled. */
  get isStopped(): boolean {
    return this.hasStopped();
  }

  /** A method, since it may become true during any wait. */
  private hasStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private get filter() {
    const { types } = this.endpoint;
    return types ? { types } : {};
  }

  /** Has something done until it is stopped; where the database cannot be asked, again and again. */
  private run(work: () => Promise<void>): void {
    const lane = this.untilDone(work).finally(() => this.lanes.delete(lane));
    this.lanes.add(lane);
  }

  private async untilDone(work: () => Promise<void>): Promise<void> {
    while (!this.hasStopped()) {
      try {
        await work();
        return;
      } catch (error) {
        if (this.hasStopped()) return;
        this.dependencies.tellOfFailure(this.endpoint.id, error);
        await delay(TRY_AGAIN_MILLISECONDS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  private async sendNews(): Promise<void> {
    while (!this.hasStopped()) {
      const { events, passed, hasMore } = await this.dependencies.log.read({ ...this.filter, after: this.position, limit: PAGE });
      for (const event of events) {
        this.firstUnsent = event.time;
        if (!(await this.sendFirst(messageOf(event)))) return;
        this.position = event.position;
        this.buffer.noteProgress({ position: event.position });
        if (this.buffer.isDue) await this.write();
        if (this.hasStopped()) return;
      }
      this.firstUnsent = undefined;
      this.position = passed;
      await this.write();
      if (!hasMore) await this.untilNews();
    }
  }

  private async untilNews(): Promise<void> {
    this.isWaiting = true;
    await this.news.next();
    this.isWaiting = false;
  }

  private async sendDue(): Promise<void> {
    for (const [eventId, delivery] of this.due) {
      if (this.settled.has(eventId)) continue;
      const message = await this.messageOfDue(delivery);
      const sent = message && (await this.send(message));
      if (this.hasStopped()) return;
      if (!sent) this.buffer.noteSettled(delivery, undefined);
      else if (!(await this.outcomes.ofDue(delivery, sent))) this.stopping.abort();
      this.settled.add(eventId);
      if (this.buffer.isDue) await this.writeSettled();
    }
    await this.writeSettled();
  }

  private async writeSettled(): Promise<void> {
    await this.write();
    for (const eventId of this.settled) this.due.delete(eventId);
    this.settled.clear();
  }

  private async sendReplay(): Promise<void> {
    while (this.replay && this.replay.position < this.replay.until && !this.hasStopped()) {
      const { position: from, until } = this.replay;
      const { events, passed } = await this.dependencies.log.read({ ...this.filter, after: from, limit: PAGE });
      for (const event of events.filter(({ position }) => position <= until)) {
        if (!(await this.sendFirst(messageOf(event))) || this.hasStopped()) return;
      }
      const to = passed < until ? passed : until;
      this.buffer.noteProgress({ replayed: { from, to } });
      await this.write();
      // Another one may have been asked for meanwhile, from further back.
      if (this.replay.position === from) this.replay = { position: to, until: this.replay.until };
    }
  }

  /** @returns false where it was stopped before it was known what came of it */
  private async sendFirst(message: Message): Promise<boolean> {
    const sent = await this.send(message);
    if (!sent) return false;
    if (!(await this.outcomes.ofFirst(message, sent))) this.stopping.abort();
    return true;
  }

  /** Takes turns with all that is sent and read by this instance, so that requests are served meanwhile. */
  private async send(message: Message): Promise<Sent | undefined> {
    await backgroundTurn();
    return this.hasStopped() ? undefined : this.dependencies.sender.send(this.endpoint, message, this.stopping.signal);
  }

  /** Undefined for an event that this build does not publish. */
  private async messageOfDue({ webhookId, type, eventId, eventAt }: PendingDelivery): Promise<Message | undefined> {
    if (type === TEST_TYPE) return testMessage(this.dependencies.catalog, webhookId, { eventId, eventAt });
    const event = await this.dependencies.log.find(BigInt(eventId));
    return event && messageOf(event);
  }

  /** Where another instance has the endpoint by now, nothing more is done. */
  private async write(): Promise<void> {
    if (this.writes && !(await this.buffer.write())) this.stopping.abort();
  }
}
