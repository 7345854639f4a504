import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { simulate, type VirtualTimers } from '#libs/testing';
import { toWindowLimits, WINDOWS } from '../../auth/index.js';
import { decide, enterWindows, NEVER_BANNED, newCounts, type Counts } from '../domain/decision.js';
import { InProcessLimiterStore } from '../store/in-process-limiter.store.js';
import type { KeySubject } from '../store/limiter.store.js';
import { ACTIONS, type DecisionReply } from '../store/redis/decision.script.js';
import { SharedLimiterStore } from '../store/shared-limiter.store.js';

const LIMIT = 20;
const SUBJECT: KeySubject = { keyId: 1n, windows: toWindowLimits({ perMinute: LIMIT, perDay: 1_000 }), ban: NEVER_BANNED };
const [REQUESTS, LATENESS] = [40, 10];
/** A reply is awaited for 300 ms, three times at most, and the counts of others for 150 ms. */
const [DECIDED_WITHIN, BACK_WITHIN] = [1_200, 6_000];
const never = new Promise<never>(() => undefined);

/** A Redis, and the ways to it. */
class Server {
  readonly connections = new Set<Connection>();
  counts = new Map<string, Counts>();
  isAway = false;
  /** Which share of requests, and of replies, is lost with all behind them. */
  loss = 0;

  constructor(readonly timers: VirtualTimers) {}

  readonly connect = async (_server: unknown, timeout: number): Promise<Redis> => {
    await this.timers.sleep(this.isAway ? timeout : this.timers.integer(0, 20));
    if (this.isAway) throw new Error('no answer');
    return new Connection(this) as unknown as Redis;
  };

  /** Closes all connections, and comes back without any counts. */
  restart(): void {
    for (const connection of [...this.connections]) connection.disconnect();
    this.counts = new Map();
  }

  decide(key: string, [now, action, ...values]: readonly (number | string)[]): DecisionReply {
    if (action === ACTIONS.count && !this.counts.has(key)) return [];
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

/** As much of a connection of `ioredis` as the store uses: replies come in order, and none after its end. */
class Connection {
  readonly stream = { writableCorked: 0, cork: () => undefined, uncork: () => undefined };
  private readonly listeners: { readonly event: string; readonly call: (...values: string[]) => void }[] = [];
  private readonly unanswered = new Set<(error: Error) => void>();
  private readonly channels = new Set<string>();
  private requests: Promise<unknown> = Promise.resolve();
  private replies: Promise<unknown> = Promise.resolve();
  private hasEnded = false;

  constructor(private readonly server: Server) {
    server.connections.add(this);
  }

  readonly on = (event: string, call: (...values: string[]) => void) => void this.listeners.push({ event, call });
  readonly once = this.on;
  readonly duplicate = () => new Connection(this.server);
  readonly connect = () => this.ask(() => undefined);
  readonly ping = () => this.ask(() => 'PONG');
  readonly subscribe = (...channels: string[]) => this.ask(() => channels.forEach((channel) => this.channels.add(channel)));
  readonly decideRequest = (key: string, ...values: readonly (number | string)[]) => this.ask(() => this.server.decide(key, values));
  readonly publish = (channel: string, message: string) =>
    this.ask(() => {
      const subscribers = [...this.server.connections].filter(({ channels }) => channels.has(channel));
      for (const each of subscribers) {
        each.replies = each.replies.then(() => each.travel()).then(() => each.emit('message', channel, message));
      }
      return subscribers.length;
    });

  disconnect(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.server.connections.delete(this);
    for (const reject of this.unanswered) reject(new Error('Connection is closed.'));
    setImmediate(() => this.emit('close'));
  }

  private emit(wanted: string, ...values: string[]): void {
    for (const { event, call } of this.listeners) if (event === wanted) call(...values);
  }

  private async travel(): Promise<void> {
    const { timers, loss, isAway } = this.server;
    await timers.sleep(timers.integer(0, 4));
    if (isAway || this.hasEnded || timers.random() < loss) await never;
  }

  private ask<Reply>(run: () => Reply): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.hasEnded) reject(new Error('Connection is closed.'));
      this.unanswered.add(reject);
      this.requests = this.requests
        .then(() => this.travel())
        .then(() => {
          const reply = run();
          this.replies = this.replies.then(() => this.travel()).then(() => resolve(reply));
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
        return new SharedLimiterStore({ redis, alone, load: async () => undefined, timers, connect: server.connect });
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
