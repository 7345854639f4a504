import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { simulate, type VirtualTimers } from '#libs/testing';
import { toWindowLimits, WINDOWS } from '../../auth/index.js';
import { decide, enterWindows, NEVER_BANNED, newCounts, type Counts } from '../domain/decision.js';
import { InProcessLimiterStore } from '../store/in-process-limiter.store.js';
import type { KeySubject } from '../store/limiter.store.js';
import type { DecisionReply } from '../store/redis/decision.script.js';
import { SharedLimiterStore } from '../store/shared-limiter.store.js';

const LIMIT = 20;
const SUBJECT: KeySubject = { keyId: 1n, windows: toWindowLimits({ perMinute: LIMIT, perDay: 1_000 }), ban: NEVER_BANNED };
const [REQUESTS, LATENESS] = [40, 10];
/** A reply is awaited for 500 ms, three times at most, and the counts in the database for 150 ms. */
const [DECIDED_WITHIN, BACK_WITHIN] = [2_000, 6_000];
const [CONNECT_TIMEOUT, RETRY_PAUSE] = [1_000, 250];
const never = new Promise<never>(() => undefined);

/** A Redis, and the ways to it. */
class Server {
  readonly clients = new Set<Client>();
  counts = new Map<string, Counts>();
  isAway = false;
  /** Which share of requests, and of replies, is lost with all behind them. */
  loss = 0;

  constructor(readonly timers: VirtualTimers) {}

  readonly create = () => new Client(this) as unknown as Redis;

  /** Closes all connections, and comes back without any counts. */
  restart(): void {
    for (const client of this.clients) client.end();
    this.counts = new Map();
  }

  decide(key: string, [now, mayBegin, ...values]: readonly (number | string)[]): DecisionReply {
    if (key === 'probe') return [0];
    if (mayBegin === 0 && !this.counts.has(key)) return [];
    const counts = this.counts.get(key) ?? newCounts(WINDOWS);
    this.counts.set(key, counts);
    enterWindows(counts, Number(now));
    for (const [index, window] of counts.windows.entries()) {
      const [known, knownUsed] = values.slice(10 + 5 * index, 12 + 5 * index);
      if (known === window.number) window.used = Math.max(window.used, Number(knownUsed));
    }
    const { outcome } = decide(counts, { windows: SUBJECT.windows }, Number(now));
    return [outcome === 'admitted' ? 0 : 1, 0, 0, 0, 0, 0, 0, ...counts.windows.flatMap(({ number, used }) => [number, used])];
  }
}

/** One connection: replies come in order, and none after its end. */
interface Connection {
  hasEnded: boolean;
  readonly unanswered: Set<(error: Error) => void>;
  requests: Promise<unknown>;
  replies: Promise<unknown>;
}

/** As much of `ioredis` as the store uses. It connects again after each loss of a connection. */
class Client {
  readonly stream = { writableCorked: 0, cork: () => undefined, uncork: () => undefined };
  status = 'wait';
  private readonly listeners: { readonly event: string; readonly call: (value?: Error) => void }[] = [];
  private connection: Connection | undefined;
  private isClosed = false;

  constructor(private readonly server: Server) {
    server.clients.add(this);
  }

  readonly on = (event: string, call: (value?: Error) => void) => void this.listeners.push({ event, call });
  readonly info = () => this.ask(() => 'cluster_enabled:0');
  readonly decideRequest = (key: string, ...values: readonly (number | string)[]) => this.ask(() => this.server.decide(key, values));

  async connect(): Promise<void> {
    const { timers } = this.server;
    this.status = 'connecting';
    await timers.sleep(this.server.isAway ? CONNECT_TIMEOUT : timers.integer(0, 20));
    if (this.server.isAway) {
      this.emit('error', new Error('connect ETIMEDOUT'));
      this.close();
      return;
    }
    this.connection = { hasEnded: false, unanswered: new Set(), requests: Promise.resolve(), replies: Promise.resolve() };
    this.emit('connect');
    this.status = 'ready';
    this.emit('ready');
  }

  disconnect(reconnect = false): void {
    this.isClosed ||= !reconnect;
    this.end();
  }

  /** Ends the connection; its end is noticed a little later. */
  end(): void {
    const { connection } = this;
    if (!connection || connection.hasEnded) return;
    connection.hasEnded = true;
    setImmediate(() => {
      for (const reject of connection.unanswered) reject(new Error('Connection is closed.'));
      this.close();
    });
  }

  private close(): void {
    this.status = 'reconnecting';
    this.emit('close');
    const { timers } = this.server;
    void timers.sleep(RETRY_PAUSE).then(() => (this.isClosed ? undefined : this.connect()));
  }

  private emit(wanted: string, value?: Error): void {
    for (const { event, call } of this.listeners) if (event === wanted) call(value);
  }

  private async travel(connection: Connection): Promise<void> {
    const { timers, loss, isAway } = this.server;
    await timers.sleep(timers.integer(0, 4));
    if (isAway || connection.hasEnded || timers.random() < loss) await never;
  }

  private ask<Reply>(run: () => Reply): Promise<Reply> {
    const { connection } = this;
    if (!connection || connection.hasEnded) return Promise.reject(new Error("Stream isn't writeable"));
    return new Promise((resolve, reject) => {
      connection.unanswered.add(reject);
      connection.requests = connection.requests
        .then(() => this.travel(connection))
        .then(() => {
          const reply = run();
          connection.replies = connection.replies.then(() => this.travel(connection)).then(() => resolve(reply));
        });
    });
  }
}

describe('counts that instances share by a Redis', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('let nothing through twice that was counted once, answer in time, and are shared again soon after every loss', () =>
    simulate(500, async (timers) => {
      timers.lateness = timers.integer(0, LATENESS);
      const server = new Server(timers);
      const [isCalm, count] = [timers.random() < 0.3, timers.integer(1, 3)];
      const stores = Array.from({ length: count }, () => {
        const alone = new InProcessLimiterStore();
        const redis = { url: 'redis://simulated', keyPrefix: '' };
        return new SharedLimiterStore(redis, alone, async () => undefined, timers, server.create);
      });
      const wrong: string[] = [];
      let admitted = 0;
      const request = async (store = stores[timers.integer(0, count - 1)]) => {
        const since = timers.now();
        const decision = await store?.decide(SUBJECT, timers.clock.now().getTime());
        if (decision?.outcome === 'admitted') admitted += 1;
        const took = timers.now() - since;
        if (took > (isCalm ? 300 : DECIDED_WITHIN)) wrong.push(`decided after ${took} ms`);
      };
      const disturb = async () => {
        if (timers.random() < 0.3) server.restart();
        server.isAway = timers.random() < 0.5;
        await timers.sleep(timers.integer(0, 3_000));
        server.isAway = false;
      };
      await Promise.all(stores.map((store) => store.onApplicationBootstrap()));
      if (!isCalm) server.loss = 0.01;
      const requests: Promise<void>[] = [];
      for (let sent = 0; sent < REQUESTS; sent += 1) {
        requests.push(request());
        if (timers.random() < 0.7) await timers.sleep(timers.integer(0, 500));
        if (!isCalm && timers.random() < 0.1) void disturb();
      }
      await Promise.all(requests);
      server.loss = 0;
      await timers.sleep(BACK_WITHIN);
      expect(stores.map(({ counting }) => counting)).toEqual(stores.map(() => 'shared'));
      for (const store of stores) await request(store);
      expect(admitted).toBeGreaterThanOrEqual(LIMIT);
      // Instances without Redis do not know of each other.
      const isExact = isCalm || count === 1;
      expect(admitted).toBeLessThanOrEqual(isExact ? LIMIT : LIMIT * count);
      if (isExact) expect([...server.counts.values()].map(({ windows }) => windows[0]?.used)).toEqual([LIMIT]);
      for (const store of stores) store.onApplicationShutdown();
      expect(wrong).toEqual([]);
    }));
});
