import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { CachedReading, MetricsRegistry } from '#libs/observability';
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
    metrics: MetricsRegistry,
    @Inject(POLLS) private readonly polls: boolean,
  ) {
    this.registerLateness(metrics);
  }

  /** @throws Error for followers that would not be called with all of their events */
  onModuleInit(): void {
    const providers = this.discovery.getProviders().map(({ instance }) => instance as unknown);
    const followers = [...new Set(providers.filter((provider): provider is EventFollower => provider instanceof EventFollower))];
    const types = this.registry.types();
    for (const { name, types: followed } of followers) {
      const unknown = followed.find((type) => !types.includes(type));
      if (unknown !== undefined) throw new Error(`The follower ${name} follows ${unknown}, which is no event type of any module.`);
    }
    if (new Set(followers.map(({ name }) => name)).size < followers.length) throw new Error('Two followers have the same name.');
    this.workers = followers.map((follower) => new FollowerWorker(follower, this.dependencies));
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.polls) return;
    // Before anything is served, so that a new follower misses nothing that happens from then on.
    for (const worker of this.workers) await worker.createCheckpoint();
    for (const { loop } of this.workers) {
      loop.start();
      this.dependencies.store.onCommit(() => loop.wake());
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.end()));
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
    const ages = new CachedReading(() => Promise.all(this.workers.map((worker) => worker.readAge())));
    metrics.addGauge(
      `${metrics.prefix}follower_oldest_unhandled_seconds`,
      'Seconds since the oldest event that a follower has not handled was recorded; 0 while there is none',
      async () => ((await ages.get()) ?? []).map(({ follower, seconds }) => [seconds, { follower }]),
      ['follower'],
    );
  }
}
