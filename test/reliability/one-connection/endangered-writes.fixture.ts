import { setTimeout as delay } from 'node:timers/promises';
import { systemTimers } from '#libs/observability';
import { LivenessError } from '#libs/testing';
import { openPostgresProxy, type PassingMessage, type PostgresProxy } from '../../databases/postgres-proxy.fixture.js';
import { ApiClient } from '../../e2e/api-client.fixture.js';
import { createSystem, type SystemUnderTest } from '../system/system-under-test.fixture.js';
import { describeFailure, isReached, placing, type Failure, type Place } from './failures.js';
import { BANS_EARLY, type KindOfWrite, type TestContext } from './kinds-of-write.fixture.js';
import { startLoggedPostgres, type LoggedPostgres } from './logged-postgres.fixture.js';
import { NeighbourReads, type ReadCount } from './neighbour-reads.fixture.js';
import { awaitWholeness } from './wholeness.fixture.js';

const STALLED_MILLISECONDS = 2_000;
const ENDS_WITHIN_MILLISECONDS = 30_000;
// A window with so many reads that one of them, on a loaded machine, decides nothing.
const LOOKED_AT_MILLISECONDS = 300;

/** The connections of a write: those that are open already, or ones that it has to open. */
export type Connections = 'open' | 'new';

/** What came of a write during which a connection failed. */
export interface Endured {
  /** Whether the write came as far as the message at which the connection was to fail. */
  readonly hasStruck: boolean;
  readonly violations: readonly string[];
  /** The reads of others from the fault until then. */
  readonly reads: ReadCount;
}

/** A service, and commands beside it, whose connections to PostgreSQL can be made to fail one at a time. */
export class EndangeredWrites {
  private readonly client: ApiClient;
  private readonly neighbour: NeighbourReads;
  private readonly writers = new Set<number>();
  private newest = 0;

  private constructor(
    readonly postgres: LoggedPostgres,
    readonly system: SystemUnderTest,
    readonly surroundings: TestContext,
    private readonly proxies: Readonly<Record<KindOfWrite['by'], PostgresProxy>>,
  ) {
    this.client = new ApiClient(system.origin, system.key);
    this.neighbour = new NeighbourReads(system.origin, system.key);
    proxies.service.watch(({ connection: { number }, from, text }) => {
      this.newest = Math.max(this.newest, number);
      if (from === 'client' && /^(?:BEGIN|START)\b/.test(text)) this.writers.add(number);
    });
  }

  /** Ends with the test. */
  static async start(): Promise<EndangeredWrites> {
    const postgres = await startLoggedPostgres();
    const proxies = { service: await openPostgresProxy(postgres.url), command: await openPostgresProxy(postgres.url) };
    const system = await createSystem(async () => ({ ...postgres, url: proxies.service.url }), BANS_EARLY);
    await system.launch().listening;
    const surroundings = {
      origin: system.origin,
      key: system.key,
      folder: system.folder,
      commandUrl: proxies.command.url,
      directUrl: postgres.url,
      adds: [],
      others: new Set<string>(),
    };
    return new EndangeredWrites(postgres, system, surroundings, proxies);
  }

  /** Writes twice with nothing in the way. Returns the messages by which that was done the shorter way: others may write beside it. */
  async rehearse(kind: KindOfWrite, connections: Connections): Promise<readonly Place[]> {
    const first = await this.rehearseOnce(kind, connections, 'first');
    const second = await this.rehearseOnce(kind, connections, 'second');
    return first.length < second.length ? first : second;
  }

  /** Writes once, and lets the connection fail on the way. */
  async endure(kind: KindOfWrite, connections: Connections, failure: Failure): Promise<Endured> {
    const label = `${kind.name} on ${connections} connections, ${describeFailure(failure)}`;
    const violations: string[] = [];
    const placeOf = placing();
    const isConcerned = await this.prepare(kind, connections);
    const plan = this.proxies[kind.by].fail((message) => isConcerned(message) && isReached(failure, placeOf(message)), failure.fault);
    const note = (what: string) => (error: unknown) => {
      if (error instanceof LivenessError) throw error;
      violations.push(`${what}: ${String(error)}`);
    };
    const writing = kind.write(label).catch(note(label));
    // Awaited below; until then a failure must not end the process.
    writing.catch(() => undefined);
    await Promise.race([plan.struck, writing]);
    const begun = performance.now();
    if (failure.fault === 'stall' && plan.hasStruck) await systemTimers.within(writing, STALLED_MILLISECONDS);
    plan.lift();
    const adds = await awaitWholeness(this.client, this.postgres, label);
    if (!(await systemTimers.within(writing, ENDS_WITHIN_MILLISECONDS))) throw new LivenessError(`${label} does not end`);
    await writing;
    await kind.finish?.(label).catch(note(`${label}, finished`));
    await delay(Math.max(0, LOOKED_AT_MILLISECONDS - (performance.now() - begun)));
    this.surroundings.adds.push(...adds);
    return {
      hasStruck: plan.hasStruck,
      violations,
      reads: this.neighbour.between(begun, performance.now()),
    };
  }

  private async rehearseOnce(kind: KindOfWrite, connections: Connections, time: string): Promise<readonly Place[]> {
    const label = `${kind.name} on ${connections} connections, undisturbed the ${time} time`;
    const placeOf = placing();
    const places: Place[] = [];
    const isConcerned = await this.prepare(kind, connections);
    const end = this.proxies[kind.by].watch((message) => {
      if (isConcerned(message)) places.push(placeOf(message));
    });
    await kind.write(label);
    end();
    await kind.finish?.(label);
    return places;
  }

  /** Leaves the connections as they are to be. Returns which of the messages from now on belong to a write. */
  private async prepare({ by }: KindOfWrite, connections: Connections): Promise<(message: PassingMessage) => boolean> {
    if (by === 'command') return () => true;
    if (connections === 'new') this.proxies.service.cut(({ number }) => this.writers.has(number));
    // By its answer the service has seen that they are gone.
    await this.client.get('/v1/pets?limit=1');
    const { newest } = this;
    return ({ connection: { number } }) => this.writers.has(number) || number > newest;
  }
}
