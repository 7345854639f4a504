import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { LogHistory } from '#libs/event-store';
import { PublicEventFollower, type Following } from '#libs/public-events';
import type { StoredWebhook } from '../read-model/webhook-rows.js';
import { LEASE_MILLISECONDS } from '../records/endpoint-progress.js';
import { ActiveEndpoints } from './active-endpoints.js';
import { DELIVERS } from './delivery-options.js';
import { EndpointWorker } from './endpoint-worker.js';
import { DeliveryDependencies } from './delivery-dependencies.js';

// Twice within the second in which the end of a key or of an endpoint has to take effect.
const INTERVAL_MILLISECONDS = 400;
const CLAIM_EVERY_MILLISECONDS = 3_000;
const DUE_AT_ONCE = 200;

/** Sends what happens to the endpoints that this instance has: takes those that no other has, and gives up those that are ended. */
@Injectable()
export class DeliveryProcess implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly workers = new Map<bigint, EndpointWorker>();
  private readonly ending = new Map<bigint, Promise<void>>();
  /** The endpoints that were claimed, had or not, by the event with which they were enabled. */
  private claimed: ReadonlySet<bigint> = new Set();
  private claimedAt = -Infinity;
  private following: Following | undefined;
  private isReachable = true;
  private isEnding = false;
  private last: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly endpoints: ActiveEndpoints,
    private readonly follower: PublicEventFollower,
    private readonly dependencies: DeliveryDependencies,
    private readonly clock: Clock,
    @Inject(DELIVERS) private readonly delivers: boolean,
    history: LogHistory,
  ) {
    history.onRewind(() => {
      for (const id of this.workers.keys()) this.end(id, (worker) => worker.abandon());
    });
    dependencies.metrics.oldestUnsent = () => this.oldestUnsent();
  }

  onApplicationBootstrap(): void {
    if (!this.delivers) return;
    if (this.dependencies.options.allowLoopback) {
      this.logger.warn(
        'WEBHOOK_ALLOW_LOOPBACK lets whoever has a key with the scope webhooks send to this machine: for development alone.',
      );
    }
    this.schedule();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    clearTimeout(this.timer);
    await this.last;
    this.unfollow();
    const ids = [...this.workers.keys()];
    for (const id of ids) this.end(id);
    await Promise.all(this.ending.values());
    await this.dependencies.progress.release(ids).catch(() => undefined);
  }

  /** How many endpoints this instance sends to. */
  get endpointCount(): number {
    return this.workers.size;
  }

  /** Looks at once for what is to be done; resolves when what was changed before the call holds for what this instance sends. */
  async wake(): Promise<void> {
    if (!this.delivers || this.isEnding) return;
    clearTimeout(this.timer);
    await this.poll();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (!this.isEnding) this.timer = setTimeout(() => void this.poll(), INTERVAL_MILLISECONDS).unref();
  }

  private async poll(): Promise<void> {
    await (this.last = this.last.then(() => this.attempt()));
    this.schedule();
  }

  private async attempt(): Promise<void> {
    try {
      if (!this.isEnding) await this.look();
      this.isReachable = true;
    } catch (error) {
      if (this.isReachable) this.logger.warn(`Webhook endpoints cannot be looked at, which is tried again: ${String(error)}`);
      this.isReachable = false;
      // Others may have them by then.
      if (performance.now() - this.claimedAt > LEASE_MILLISECONDS) for (const id of this.workers.keys()) this.end(id);
    }
  }

  private async look(): Promise<void> {
    const active = await this.endpoints.read();
    this.endInactive(active);
    if (active.size === 0) {
      this.unfollow();
      return;
    }
    // Before an endpoint is taken, so that nothing happens between what its worker reads and what it is told.
    this.following ??= await this.follower.follow((news) => {
      for (const worker of this.workers.values()) worker.takeNews(news);
    });
    await this.claim(active);
    const ids = [...this.workers.keys()];
    for (const [id, replay] of await this.dependencies.progress.replays(ids)) this.workers.get(id)?.takeReplay(replay);
    const due = await this.dependencies.pending.due(ids, this.clock.now(), DUE_AT_ONCE);
    for (const delivery of due) this.workers.get(delivery.webhookId)?.takeDue([delivery]);
  }

  private endInactive(active: ReadonlyMap<bigint, StoredWebhook>): void {
    for (const [id, worker] of this.workers) {
      const endpoint = active.get(id);
      if (endpoint?.startsAfter === worker.startsAfter && !worker.isStopped) worker.update(endpoint);
      else this.end(id);
    }
  }

  /** Every few seconds, and at once where an endpoint is new or its worker has stopped. */
  private async claim(active: ReadonlyMap<bigint, StoredWebhook>): Promise<void> {
    const endpoints = [...active.values()].filter(({ id }) => !this.ending.has(id));
    const isNew = endpoints.some(({ startsAfter }) => !this.claimed.has(startsAfter));
    if (!isNew && performance.now() - this.claimedAt < CLAIM_EVERY_MILLISECONDS) return;
    const had = new Map((await this.dependencies.progress.acquire(endpoints)).map((progress) => [progress.webhookId, progress]));
    this.claimedAt = performance.now();
    this.claimed = new Set(endpoints.map(({ startsAfter }) => startsAfter));
    for (const id of this.workers.keys()) if (!had.has(id)) this.end(id);
    for (const [id, progress] of had) {
      const endpoint = active.get(id);
      if (endpoint && !this.workers.has(id)) this.workers.set(id, new EndpointWorker(endpoint, progress, this.dependencies));
    }
  }

  private end(id: bigint, stop = (worker: EndpointWorker) => worker.stop()): void {
    const worker = this.workers.get(id);
    if (!worker) return;
    this.workers.delete(id);
    this.claimed = new Set([...this.claimed].filter((startsAfter) => startsAfter !== worker.startsAfter));
    this.ending.set(
      id,
      stop(worker).finally(() => this.ending.delete(id)),
    );
  }

  private unfollow(): void {
    this.following?.end();
    this.following = undefined;
  }

  private oldestUnsent(): Date | undefined {
    const times = [...this.workers.values()].flatMap(({ oldestUnsent }) => oldestUnsent ?? []);
    return times.reduce<Date | undefined>((oldest, time) => (oldest && oldest < time ? oldest : time), undefined);
  }
}
