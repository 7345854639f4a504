import { Logger } from '@nestjs/common';
import type { QueryBus } from '@nestjs/cqrs';
import { Database } from '#libs/database';
import { Leases, type EventStore, type LogHistory } from '#libs/event-sourcing';
import {
  PublicEventFollower,
  type OutgoingHttp,
  type PostOutcome,
  type PublicEvent,
  type PublicEventCatalog,
  type PublicEventLog,
} from '#libs/http';
import {
  GrantedLeases,
  libraryMigrations,
  openTestedModule,
  remoteDatabase,
  SettableClock,
  simulate,
  type TestedModule,
  type VirtualTimers,
} from '#libs/testing';
import { SendDelivery, SendDeliveryHandler } from '../commands/send-events.command.js';
import type { WebhookDecisions } from '../commands/webhook-decisions.js';
import { DeliveryProcess } from '../delivery/delivery-process.js';
import { DeliveryWriter } from '../delivery/delivery-writer.js';
import { DeliveryDependencies } from '../delivery/endpoint-worker.js';
import { Sender } from '../delivery/sender.js';
import type { StoredWebhook } from '../domain/webhook.js';
import type { WebhookReader } from '../read-model/webhook.reader.js';
import { DeliveryStore } from '../records/delivery.store.js';
import { EndpointProgress } from '../records/endpoint-progress.js';
import type { WebhookSecrets } from '../records/webhook-secrets.js';
import { webhookMigrations } from '../records/webhook-tables.migration.js';
import type { WebhookMetrics } from '../webhooks.metrics.js';
import type { WebhooksOptions } from '../webhooks.settings.js';

const [EVENTS, ENDPOINTS, INSTANCES] = [8, 2, 3];
const RETRY_DELAYS = [2_000, 4_000, 8_000, ...Array<number>(20).fill(10_000)];
const DONE_WITHIN = 180_000;

const RECEIVER = 'https://receiver/';

/** What an endpoint was sent. */
interface Received {
  readonly attempts: number;
  readonly at: number;
  readonly isDelivered: boolean;
}

/** The log, the endpoints and their receivers. */
class World {
  readonly events: PublicEvent[] = [];
  readonly endpoints: readonly StoredWebhook[];
  readonly leases: GrantedLeases;
  readonly wrong: string[] = [];
  /** By endpoint and event. */
  readonly received = new Map<string, Received>();
  private readonly stored = new Map<string, bigint>();
  private readonly inHand = new Map<string, number>();
  /** Whether receivers fail now and then. */
  fails = true;

  /** @param isCalm no way to the database loses anything and no instance dies */
  constructor(
    readonly timers: VirtualTimers,
    readonly isCalm: boolean,
    firstEndpoint: number,
  ) {
    this.leases = new GrantedLeases(timers);
    this.endpoints = Array.from({ length: ENDPOINTS }, (_, index) => {
      const id = BigInt(firstEndpoint + index);
      return {
        id,
        url: `${RECEIVER}${id}`,
        registeredBy: 1n,
        enabled: true,
        createdAt: timers.clock.now(),
        startsAfter: 0n,
        version: 1,
      };
    });
  }

  happen(): void {
    const { events, timers } = this;
    const position = BigInt(events.length + 1);
    const json = position.toString();
    const eventId = json.padStart(32, '0');
    events.push({ position, eventId, type: 'pet.added', subject: 'pets/1', time: timers.clock.now(), json, trace: undefined });
  }

  /** @param position up to which everything was sent to an endpoint, as it is stored */
  noteProgress(url: string, position: bigint): void {
    const before = this.stored.get(url) ?? 0n;
    if (position < before) this.wrong.push(`the progress of ${url} goes back from ${before} to ${position}`);
    this.stored.set(url, position);
  }

  /** A receiver gets a message, though its reply may be lost. */
  async post(url: string, position: bigint, signal: AbortSignal | undefined): Promise<PostOutcome> {
    const { timers, received, inHand } = this;
    const name = `${url} ${position}`;
    const find = () => received.get(name) ?? { attempts: 0, at: timers.now(), isDelivered: false };
    const before = find();
    this.judge(url, position, before);
    received.set(name, { ...before, attempts: before.attempts + 1, at: timers.now() });
    inHand.set(url, (inHand.get(url) ?? 0) + 1);
    await timers.sleep(timers.integer(0, timers.random() < 0.1 ? 15_000 : 300), signal && { signal });
    inHand.set(url, (inHand.get(url) ?? 0) - 1);
    // An attempt that is given up at a shutdown counts for nothing.
    if (signal?.aborted) received.set(name, { ...find(), attempts: find().attempts - 1, at: before.at });
    if (signal?.aborted || (this.fails && timers.random() < 0.15)) return { error: 'no answer', durationMilliseconds: 1 };
    const isDelivered = !this.fails || timers.random() < 0.7;
    if (isDelivered) received.set(name, { ...find(), isDelivered });
    return { status: isDelivered ? 204 : 500, durationMilliseconds: 1 };
  }

  private judge(url: string, position: bigint, { attempts, at, isDelivered }: Received): void {
    const { timers, wrong, isCalm, received, inHand } = this;
    if (position > 1n && !received.has(`${url} ${position - 1n}`)) wrong.push(`${position} comes before ${position - 1n} to ${url}`);
    if (!isCalm) return;
    if (isDelivered) wrong.push(`${position} comes again to ${url}, though it was delivered`);
    // New messages and those that are due have a lane each.
    if ((inHand.get(url) ?? 0) > 1) wrong.push(`three messages at a time to ${url}`);
    const [wait, delay] = [timers.now() - at, RETRY_DELAYS[attempts - 1] ?? 0];
    if (attempts > 0 && wait < delay) wrong.push(`attempt ${attempts + 1} comes after ${wait} ms`);
  }
}

describe('deliveries to webhook endpoints by several instances', () => {
  let tested: TestedModule;
  let database: Database;
  let stored: EndpointProgress;
  let endpoints = 1;

  beforeAll(async () => {
    const migrations = [...libraryMigrations, ...webhookMigrations];
    tested = await openTestedModule([], new SettableClock(), { events: [], projections: [], migrations });
    database = tested.application.get(Database);
    stored = new EndpointProgress(database, new Leases(new SettableClock()));
    Logger.overrideLogger(false);
  });
  afterAll(() => tested.close());

  function openInstance(world: World) {
    const { timers, events } = world;
    const network = { delay: timers.integer(0, 300), loss: world.isCalm ? 0 : 0.1 };
    const remote = remoteDatabase(database, timers, network);
    const [progress, deliveries] = [new EndpointProgress(remote, world.leases.open()), new DeliveryStore(remote)];
    const log = {
      async read({ after, limit }: { after: bigint; limit: number }) {
        await timers.sleep(timers.integer(0, network.delay));
        const page = events.filter(({ position }) => position > after).slice(0, limit);
        return { events: page, hasMore: page.length === limit, scannedUpTo: page.at(-1)?.position ?? after };
      },
      find: async (position: bigint) => events.find((event) => event.position === position),
    };
    const store = { lastPosition: async () => BigInt(events.length), onCommit: () => undefined } as unknown as EventStore;
    const history = { onRewind: () => undefined } as unknown as LogHistory;
    const follower = new PublicEventFollower(store, log as unknown as PublicEventLog, timers, history);
    const http = {
      async post(url: string, { body, signal }: Parameters<OutgoingHttp['post']>[1]) {
        world.noteProgress(url, (await stored.find(BigInt(url.slice(RECEIVER.length))))?.position ?? 0n);
        return world.post(url, BigInt(body.toString()), signal);
      },
    };
    const options: WebhooksOptions = {
      polls: true,
      deployment: 'development',
      settings: { retryDelays: RETRY_DELAYS, disableAfter: Infinity } as unknown as WebhooksOptions['settings'],
    };
    const metrics = { deliveries: { inc: () => undefined } } as unknown as WebhookMetrics;
    const secrets = { current: async () => ['whsec_c2VjcmV0'] } as unknown as WebhookSecrets;
    const dependencies = new DeliveryDependencies(
      follower,
      {} as PublicEventCatalog,
      new Sender(http as unknown as OutgoingHttp, secrets, timers.clock, metrics, options),
      new DeliveryWriter(remote, deliveries, progress, timers),
      metrics,
      {} as WebhookDecisions,
      timers,
      options,
    );
    const process = new DeliveryProcess(
      { enabled: async () => world.endpoints } as unknown as WebhookReader,
      { execute: async () => new Set([1n]) } as unknown as QueryBus,
      progress,
      deliveries,
      dependencies,
      timers.clock,
      timers,
      history,
    );
    const processes = [follower, dependencies.writer, process];
    for (const each of processes) void each.onApplicationBootstrap();
    const cutOff = async () => {
      network.loss = 1;
      await timers.sleep(timers.integer(10_000, 20_000));
      network.loss = 0;
    };
    return { process, network, cutOff };
  }

  it('reach each endpoint in order, at least once, and once by the schedule if nothing is lost; none is forgotten', () =>
    simulate(50, async (timers) => {
      const isCalm = timers.random() < 0.5;
      timers.lateness = timers.integer(0, 100);
      const world = new World(timers, isCalm, endpoints);
      endpoints += ENDPOINTS;
      const instances = Array.from({ length: INSTANCES }, () => openInstance(world));
      for (let count = 0; count < EVENTS; count += 1) {
        world.happen();
        await timers.sleep(timers.integer(0, 5_000));
        if (!isCalm && timers.random() < 0.5) void instances[timers.integer(0, INSTANCES - 1)]?.cutOff();
        // One is shut down in order, also if nothing is lost.
        if (timers.random() < 0.1 && instances.length > 1) await instances.shift()?.process.beforeApplicationShutdown();
      }
      for (const { network } of instances) network.loss = 0;
      await timers.sleep(10_000);
      world.fails = false;
      const isDone = async () => {
        const ids = world.endpoints.map(({ id }) => id);
        const reached = await Promise.all(ids.map(async (id) => (await stored.find(id))?.position === BigInt(EVENTS)));
        return reached.every(Boolean) && (await new DeliveryStore(database).due(ids, new Date(8.64e15), 1)).length === 0;
      };
      const since = timers.now();
      await timers.until(isDone);
      expect(timers.now() - since).toBeLessThan(DONE_WITHIN);
      await Promise.all(instances.map(({ process }) => process.beforeApplicationShutdown()));
      const received = [...world.received.values()];
      expect(received.filter(({ isDelivered }) => isDelivered)).toHaveLength(EVENTS * ENDPOINTS);
      expect(world.wrong).toEqual([]);
      expect(world.leases.overlapping).toEqual([]);
      if (!isCalm) return;
      const recorded = await new DeliveryStore(database).counts(world.endpoints.map(({ id }) => id));
      const sum = (counts: Iterable<number>) => [...counts].reduce((total, count) => total + count, 0);
      expect(sum(recorded.values())).toBe(sum(received.map(({ attempts }) => attempts)));
    }));

  it('are sent what is asked for just after they were enabled again, also if an instance still knows them from before', async () => {
    const id = 1_000_000n;
    const [before, now] = [5n, 9n].map((startsAfter) => ({ id, startsAfter, enabled: true }) as StoredWebhook);
    const acquire = (endpoint: typeof now) => stored.acquire(endpoint ? [endpoint] : []);
    const deliveries = new DeliveryStore(database);
    const reader = { get: async () => now } as unknown as WebhookReader;
    const process = { wake: async () => undefined } as unknown as DeliveryProcess;
    const clock = new SettableClock();
    await acquire(before);
    await new SendDeliveryHandler(reader, database, deliveries, stored, process, clock).execute(new SendDelivery(id));
    for (const known of [before, now, before]) await acquire(known);
    expect([(await deliveries.due([id], clock.now(), 10)).length, (await stored.find(id))?.startsAfter]).toEqual([1, 9n]);
  });
});
