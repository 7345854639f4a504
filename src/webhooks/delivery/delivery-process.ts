import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Clock, Timers } from '#libs/observability';
import { LogHistory, PollLoop } from '#libs/event-sourcing';
import { FindUsableApiKeys } from '../../auth/index.js';
import { SENDING_SCOPES, type StoredWebhook } from '../domain/webhook.js';
import { WebhookReader } from '../read-model/webhook.reader.js';
import { DeliveryStore } from '../records/delivery.store.js';
import { EndpointProgress, LEASE_MILLISECONDS } from '../records/endpoint-progress.js';
import { DeliveryDependencies, EndpointWorker } from './endpoint-worker.js';

// Twice within the second in which the end of a key or of an endpoint has to take effect.
const INTERVAL_MILLISECONDS = 400;
const RENEWAL_MILLISECONDS = 3_000;
const MAX_DUE = 200;

/** Sends events to the endpoints that this instance holds: acquires endpoints that no other instance holds, and stops sending to ended ones. */
@Injectable()
export class DeliveryProcess implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly workers = new Map<bigint, EndpointWorker>();
  private readonly ending = new Map<bigint, Promise<void>>();
  /** The endpoints that were tried to acquire the last time, by the positions at which they start. */
  private tried = new Set<bigint>();
  private acquiredAt = -Infinity;
  private readonly loop: PollLoop;

  constructor(
    private readonly webhooks: WebhookReader,
    private readonly queries: QueryBus,
    private readonly progress: EndpointProgress,
    private readonly deliveries: DeliveryStore,
    private readonly dependencies: DeliveryDependencies,
    private readonly clock: Clock,
    private readonly timers: Timers,
    history: LogHistory,
  ) {
    const onFailure = (error: unknown) => dependencies.logger.warn(`Cannot read webhook endpoints; retrying: ${String(error)}`);
    this.loop = new PollLoop(() => this.updateWorkers(), INTERVAL_MILLISECONDS, timers, onFailure);
    history.onRewind(() => {
      for (const id of this.workers.keys()) this.end(id, false);
    });
    dependencies.metrics.oldestUnsent = () => Math.min(...[...this.workers.values()].map(({ oldestUnsent }) => oldestUnsent));
  }

  onApplicationBootstrap(): void {
    const { options, logger } = this.dependencies;
    if (!options.polls) return;
    if (options.settings.allowLoopback) {
      logger.warn(
        'WEBHOOK_ALLOW_LOOPBACK lets everyone who has a key with the scope webhooks send to this machine: use it only for development.',
      );
    }
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.end();
    const ids = [...this.workers.keys()];
    for (const id of ids) this.end(id);
    await Promise.all(this.ending.values());
    await this.progress.release(ids).catch(() => undefined);
  }

  /** How many endpoints this instance sends to. */
  get endpointCount(): number {
    return this.workers.size;
  }

  /** Polls at once; resolves when everything that was changed before the call has taken effect on this instance. */
  async wake(): Promise<void> {
    if (this.dependencies.options.polls) await this.loop.run();
  }

  private async updateWorkers(): Promise<void> {
    if (this.loop.isEnding) return;
    try {
      await this.tryUpdateWorkers();
    } catch (error) {
      // Other instances may have acquired them by then.
      if (this.timers.now() - this.acquiredAt > LEASE_MILLISECONDS) for (const id of this.workers.keys()) this.end(id);
      throw error;
    }
  }

  private async tryUpdateWorkers(): Promise<void> {
    const active = await this.readActive();
    for (const [id, worker] of this.workers) {
      const endpoint = active.get(id);
      if (endpoint?.startsAfter === worker.endpoint.startsAfter && !worker.hasStopped()) worker.endpoint = endpoint;
      else this.end(id);
    }
    await this.acquire(active);
    await this.startLanes();
  }

  /** Skips endpoints that are still sending, so that many messages to a slow one do not hold up those to others. */
  private async startLanes(): Promise<void> {
    const idle = (lane: 'due' | 'replay') => [...this.workers].filter(([, worker]) => !worker.isSending(lane)).map(([id]) => id);
    for (const [id, replay] of await this.progress.replays(idle('replay'))) this.workers.get(id)?.sendReplay(replay);
    const due = await this.deliveries.due(idle('due'), this.clock.now(), MAX_DUE);
    for (const id of new Set(due.map(({ webhookId }) => webhookId))) {
      this.workers.get(id)?.sendDue(due.filter(({ webhookId }) => webhookId === id));
    }
  }

  /** Returns the endpoints that are enabled and whose keys may be sent events. One statement if there are none. */
  private async readActive(): Promise<ReadonlyMap<bigint, StoredWebhook>> {
    const enabled = await this.webhooks.enabled();
    if (enabled.length === 0) return new Map();
    const keys = [...new Set(enabled.map(({ registeredBy }) => registeredBy))];
    const usable = await this.queries.execute(new FindUsableApiKeys(keys, SENDING_SCOPES));
    return new Map(enabled.filter(({ registeredBy }) => usable.has(registeredBy)).map((webhook) => [webhook.id, webhook]));
  }

  /** Acquires or renews leases every few seconds, and at once if an endpoint is new or its worker has stopped. */
  private async acquire(active: ReadonlyMap<bigint, StoredWebhook>): Promise<void> {
    const endpoints = [...active.values()].filter(({ id }) => !this.ending.has(id));
    const isNew = endpoints.some(({ startsAfter }) => !this.tried.has(startsAfter));
    if (!isNew && this.timers.now() - this.acquiredAt < RENEWAL_MILLISECONDS) return;
    const held = new Map((await this.progress.acquire(endpoints)).map((progress) => [progress.webhookId, progress]));
    this.acquiredAt = this.timers.now();
    this.tried = new Set(endpoints.map(({ startsAfter }) => startsAfter));
    for (const id of this.workers.keys()) if (!held.has(id)) this.end(id);
    for (const [id, progress] of held) {
      const endpoint = active.get(id);
      if (endpoint && !this.workers.has(id)) this.workers.set(id, new EndpointWorker(endpoint, progress, this.dependencies));
    }
  }

  private end(id: bigint, writes = true): void {
    const worker = this.workers.get(id);
    if (!worker) return;
    this.workers.delete(id);
    this.tried.delete(worker.endpoint.startsAfter);
    this.ending.set(
      id,
      worker.stop(writes).finally(() => this.ending.delete(id)),
    );
  }
}
