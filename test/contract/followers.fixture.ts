import 'reflect-metadata';
import { Module, type DynamicModule, type LoggerService, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Clock, MetricsRegistry } from '#libs/observability';
import { Database, type DatabaseLocation } from '#libs/database';
import {
  EventFollower,
  EventStore,
  FollowerProcess,
  ProjectionRebuilder,
  ProjectionVerification,
  type RecordedEvent,
} from '#libs/event-sourcing';
import { libraryMigrations, libraryModules } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { counted, eventDefinitions, sumsProjection, type Counted } from './counting.fixture.js';

const metadata = { actor: 'system' };

/** One instance with a module of which followers are all. */
export interface FollowersUnderTest {
  readonly process: FollowerProcess;
  readonly store: EventStore;
  readonly database: Database;
  readonly rebuilder: ProjectionRebuilder;
  readonly verification: ProjectionVerification;
  /** Appends events of the followed type with these amounts. */
  count(...amounts: readonly number[]): Promise<void>;
  /** What the follower has noted in the log: the amounts in its order, once for each event. */
  noted(): Promise<number[]>;
  /** The age of the oldest event that is not handled, by the metric. */
  lateness(): Promise<number | undefined>;
  close(): Promise<void>;
}

export interface FollowersOptions {
  readonly clock: Clock;
  readonly logger: LoggerService;
  /** In place of `NoteCounts`. */
  readonly providers?: readonly Provider[];
  readonly polls?: boolean;
  /** Comes before the command that the follower sends. */
  readonly beforeCommand?: (amount: number) => Promise<void>;
  /** Comes after it. */
  readonly afterCommand?: (amount: number) => Promise<void>;
}

const DONE = () => Promise.resolve();

/** Notes each amount that was counted, by a command with an idempotency key of the event. */
export class NoteCounts extends EventFollower<Counted> {
  readonly name: string = 'note-counts';
  readonly types = ['counted'] as const;

  constructor(
    private readonly store: EventStore,
    private readonly options: Pick<FollowersOptions, 'beforeCommand' | 'afterCommand'> = {},
  ) {
    super();
  }

  async handle({ data: { by }, eventId }: RecordedEvent<Counted>): Promise<void> {
    const { beforeCommand = DONE, afterCommand = DONE } = this.options;
    await beforeCommand(by);
    const noted = { type: 'noted', data: { text: String(by), language: 'en' } };
    await this.store.execute(() => [{ stream: 'notes-1', expectedVersion: 'any', events: [noted] }], {
      metadata,
      idempotency: { scope: this.name, key: eventId, fingerprint: '' },
    });
    await afterCommand(by);
  }
}

/** Opens an instance. Several on one location behave like several processes. */
export async function openFollowers(location: DatabaseLocation, options: FollowersOptions): Promise<FollowersUnderTest> {
  const { logger } = options;
  const context = await NestFactory.createApplicationContext(FollowersModule.forTest(location, options), { logger, abortOnError: false });
  const [store, registry] = [context.get(EventStore), context.get(MetricsRegistry)];
  return {
    process: context.get(FollowerProcess),
    store,
    database: context.get(Database),
    rebuilder: context.get(ProjectionRebuilder),
    verification: context.get(ProjectionVerification),
    async count(...amounts) {
      for (const amount of amounts) {
        await store.append([{ stream: { newIn: 'counter' }, expectedVersion: 'noStream', events: [counted(amount)] }], { metadata });
      }
    },
    async noted() {
      const events = await store.readAll({ limit: 100_000, types: ['noted'] });
      return events.map(({ data }) => Number((data as { readonly text: string }).text));
    },
    async lateness() {
      const { values = [] } = (await registry.getSingleMetric('follower_oldest_unhandled_seconds')?.get()) ?? {};
      return values.find(({ labels }) => labels['follower'] === 'note-counts')?.value;
    },
    close: closeAtEnd(() => context.close()),
  };
}

@Module({})
class FollowersModule {
  static forTest(location: DatabaseLocation, options: FollowersOptions): DynamicModule {
    const noteCounts = { provide: NoteCounts, inject: [EventStore], useFactory: (store: EventStore) => new NoteCounts(store, options) };
    const { clock, providers = [noteCounts], polls } = options;
    const composed = { events: eventDefinitions, projections: [sumsProjection], migrations: libraryMigrations };
    return { module: FollowersModule, imports: libraryModules(location, clock, composed, polls), providers: [...providers] };
  }
}
