import { Logger } from '@nestjs/common';
import { Database, sql } from '#libs/database';
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
import type { RecordedEvent } from '../event-store/event.js';
import type { EventStore } from '../event-store/event-store.js';
import type { LogHistory } from '../event-store/log-history.js';
import { EventFollower } from './event-follower.js';
import { FollowerCheckpoints } from './follower-checkpoints.js';
import { FollowerDependencies, FollowerWorker } from './follower-worker.js';

const [EVENTS, INSTANCES, LEASE, DONE_WITHIN] = [6, 3, 10_000, 600_000];

/** A follower on a log, and what is wrong with how it is called. */
class World {
  readonly log: RecordedEvent[] = [];
  readonly wrong: string[] = [];
  readonly leases: GrantedLeases;
  private readonly handled = new Set<bigint>();
  private readonly failures = new Map<bigint, { readonly count: number; readonly at: number }>();
  private inHand = 0;
  private stored = 0;

  /** @param isCalm nothing is lost and no instance dies */
  constructor(
    readonly timers: VirtualTimers,
    private readonly isCalm: boolean,
  ) {
    this.leases = new GrantedLeases(timers);
  }

  /** @param stored the position of the checkpoint */
  async handle(position: bigint, stored: number): Promise<void> {
    const { timers, failures, handled } = this;
    if (stored < this.stored) this.wrong.push(`the checkpoint goes back from ${this.stored} to ${stored}`);
    this.stored = stored;
    const failure = failures.get(position);
    if (position > 1n && !handled.has(position - 1n)) this.wrong.push(`${position} comes too early`);
    if (this.isCalm && handled.has(position)) this.wrong.push(`${position} comes twice`);
    if (this.isCalm && this.inHand > 0) this.wrong.push(`${position} comes beside another`);
    const pause = failure ? timers.now() - failure.at : Infinity;
    if (this.isCalm && pause < 1_000 * 2 ** ((failure?.count ?? 1) - 1)) this.wrong.push(`${position} is tried again after ${pause} ms`);
    this.inHand += 1;
    await timers.sleep(timers.integer(0, timers.random() < 0.2 ? 4 * LEASE : 500));
    this.inHand -= 1;
    if (timers.random() >= 0.15) {
      handled.add(position);
      return;
    }
    failures.set(position, { count: (failure?.count ?? 0) + 1, at: timers.now() });
    throw new Error('failed');
  }
}

describe('a follower that several instances may call', () => {
  let tested: TestedModule;
  let database: Database;
  let simulated = 0;

  beforeAll(async () => {
    tested = await openTestedModule([], new SettableClock(), { events: [], projections: [], migrations: libraryMigrations });
    Logger.overrideLogger(false);
    database = tested.application.get(Database);
  });
  afterAll(() => tested.close());

  const setSequence = (name: string, value: number) =>
    database.write((transaction) =>
      transaction.query(
        sql`INSERT INTO "sequences" ("name", "last_value") VALUES (${name}, ${value})
            ON CONFLICT ("name") DO UPDATE SET "last_value" = excluded."last_value"`,
      ),
    );
  const readPosition = async (name: string) => {
    const [row] = await database.reader.query<{ position: bigint }>(sql`SELECT "position" FROM "event_followers" WHERE "name" = ${name}`);
    return Number(row?.position ?? 0);
  };

  /** Starts an instance. `die` ends it without a word to anybody; `cutOff` keeps it from the database for a while. */
  function openInstance(world: World, name: string, loss: number) {
    const { timers, log } = world;
    const network = { delay: timers.integer(0, 300), loss };
    class Follower extends EventFollower {
      readonly name = name;
      readonly types = [name];
      override readonly startFrom = 'beginning';
      readonly handle = async ({ position }: RecordedEvent) => world.handle(position, await readPosition(name));
    }
    const store = {
      readAll: async ({ after = 0n, limit }: { after?: bigint; limit: number }) =>
        log.filter(({ position }) => position > after).slice(0, limit),
    } as unknown as EventStore;
    const history = { onRewind: () => undefined } as unknown as LogHistory;
    const checkpoints = new FollowerCheckpoints(remoteDatabase(database, timers, network), world.leases.open(), timers.clock);
    const worker = new FollowerWorker(new Follower(), new FollowerDependencies(store, history, checkpoints, timers));
    worker.loop.start();
    const die = () => {
      network.loss = 1;
      void worker.loop.end();
    };
    const cutOff = async () => {
      network.loss = 1;
      await timers.sleep(timers.integer(LEASE, 2 * LEASE));
      network.loss = 0;
    };
    return { worker, network, die, cutOff };
  }

  it('is called in order and under one lease at a time, with every event, and once if nothing is lost', () =>
    simulate(200, async (timers) => {
      const isCalm = timers.random() < 0.4;
      const world = new World(timers, isCalm);
      const name = `simulated-${(simulated += 1)}`;
      timers.lateness = timers.integer(0, 200);
      const instances = Array.from({ length: INSTANCES }, () => openInstance(world, name, isCalm ? 0 : 0.15));
      for (let position = 1; position <= EVENTS; position += 1) {
        world.log.push({ position: BigInt(position), type: name } as RecordedEvent);
        await setSequence(`type:${name}`, position);
        instances[0]?.worker.loop.wake();
        await timers.sleep(timers.integer(0, LEASE / 2));
        if (isCalm) continue;
        if (timers.random() < 0.2 && instances.length > 1) instances.shift()?.die();
        else void instances[timers.integer(0, instances.length - 1)]?.cutOff();
      }
      for (const { network } of instances) network.loss = 0;
      const since = timers.now();
      await timers.until(async () => (await readPosition(name)) === EVENTS);
      expect(timers.now() - since).toBeLessThan(DONE_WITHIN);
      await Promise.all(instances.map(({ worker }) => worker.loop.end()));
      expect(world.wrong).toEqual([]);
      expect(world.leases.overlapping).toEqual([]);
    }));
});
