import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Gauge } from 'prom-client';
import { CachedReading, Clock, MetricsRegistry } from '#libs/observability';
import { EventRegistry } from '../event-store/event.js';
import { EventFollower } from './event-follower.js';
import { FollowerDependencies, FollowerWorker } from './follower-worker.js';
import { POLLS } from './timeouts.js';

/** Calls the followers of all modules: as soon as this instance commits an event, and within a second after another one does. */
@Injectable()
export class FollowerProcess implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private workers: readonly FollowerWorker[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly registry: EventRegistry,
    private readonly dependencies: FollowerDependencies,
    private readonly clock: Clock,
    metrics: MetricsRegistry,
    @Inject(POLLS) private readonly polls: boolean,
  ) {
    this.registerLateness(metrics);
  }

  /** @throws Error for a follower that would never be called as it should */
  onModuleInit(): void {
    const wrappers = this.discovery.getProviders().filter(({ instance }) => (instance as unknown) instanceof EventFollower);
    const followers = new Map<string, EventFollower>();
    for (const wrapper of wrappers) {
      const follower = wrapper.instance as EventFollower;
      if (!wrapper.isDependencyTreeStatic()) throw new Error(`The follower ${String(wrapper.name)} must not depend on a request.`);
      const unknown = follower.types.find((type) => !this.registry.types().includes(type));
      if (unknown !== undefined) throw new Error(`The follower ${follower.name} follows ${unknown}, which is no event type of any module.`);
      const other = followers.get(follower.name) ?? follower;
      if (other !== follower) throw new Error(`Two followers are named ${follower.name}: each needs its own name.`);
      followers.set(follower.name, follower);
    }
    this.workers = [...followers.values()].map((follower) => new FollowerWorker(follower, this.dependencies));
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.polls || this.workers.length === 0) return;
    const { checkpoints, store } = this.dependencies;
    // Before anything is served, so that a new follower misses nothing that happens from then on.
    for (const { follower } of this.workers) await checkpoints.create(follower);
    for (const { loop } of this.workers) loop.start();
    store.onCommit(() => {
      for (const { loop } of this.workers) loop.wake();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.workers.length === 0) return;
    await Promise.all(this.workers.map(({ loop }) => loop.end()));
    const names = this.workers.map(({ follower }) => follower.name);
    await this.dependencies.checkpoints.release(names).catch(() => undefined);
  }

  /**
   * Calls the followers with the events that were committed before the call, as far as this instance holds them and none fails. Never rejects:
   * failures are logged and tried again when their pause is over.
   */
  async run(): Promise<void> {
    await Promise.all(this.workers.map(({ loop }) => loop.run()));
  }

  /** Read at most once a second, absent while the database cannot be read. */
  private registerLateness(metrics: MetricsRegistry): void {
    const times = new CachedReading(() => this.readOldest(), { maxAge: 1_000, maxWaitMilliseconds: 1_000 });
    const { clock } = this;
    const gauge = new Gauge({
      name: `${metrics.prefix}follower_oldest_unhandled_seconds`,
      help: 'Seconds since the oldest event that a follower has not handled was recorded; 0 while there is none',
      labelNames: ['follower'],
      registers: [metrics],
      async collect() {
        gauge.reset();
        for (const [follower, time] of (await times.get()) ?? []) {
          gauge.set({ follower }, Math.max(0, clock.now().getTime() - time) / 1_000);
        }
      },
    });
  }

  /** In milliseconds since 1970, by the name of the follower; Infinity if it has handled all. */
  private async readOldest(): Promise<[string, number][]> {
    const { checkpoints, store } = this.dependencies;
    return Promise.all(
      this.workers.map(async ({ follower }): Promise<[string, number]> => {
        const after = await checkpoints.findPosition(follower);
        const [event] = after === undefined ? [] : await store.readAll({ after, types: follower.types, limit: 1 });
        return [follower.name, event?.recordedAt.getTime() ?? Infinity];
      }),
    );
  }
}
