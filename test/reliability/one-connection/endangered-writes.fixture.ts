import { systemTimers } from '#libs/observability';
import { LivenessError } from '#libs/testing';
import { STARTUP } from '../../databases/postgres-messages.js';
import { openPostgresProxy, type Fault, type PassingMessage, type PostgresProxy } from '../../databases/postgres-proxy.fixture.js';
import { ApiClient } from '../../e2e/api-client.fixture.js';
import type { Addition, Attempt } from '../history/history.js';
import { createSystem, type SystemUnderTest } from '../system/system-under-test.fixture.js';
import { startServingPostgres, type ServingPostgres } from './serving-postgres.fixture.js';

const STALLED_MILLISECONDS = 2_000;
const ENDS_WITHIN_MILLISECONDS = 30_000;

/** The connections of a write: those that are open already, or ones that it has to open. */
export type Connections = 'open' | 'new';

/** A kind of write, done once at a time. */
export interface KindOfWrite {
  readonly name: string;
  /** Who writes: the service, or a command beside it. */
  readonly by: 'service' | 'command';
  /** Writes once, whatever comes of it. @param label names the write, and no other */
  write(label: string): Promise<void>;
  /** Brings what was begun to its end, with nothing in the way. */
  finish?(label: string): Promise<void>;
}

/** A message of a write, by its place among those that the same sender sends for it. */
export interface Place extends Pick<PassingMessage, 'from' | 'type' | 'text'> {
  readonly number: number;
}

/** What becomes of a connection, and at which message. */
export interface Failure {
  readonly place: Place;
  readonly fault: Fault;
}

/** A service, and commands beside it, whose connections to PostgreSQL can be made to fail one at a time. */
export class EndangeredWrites {
  /** The animals that were added to see whether all is well. */
  readonly adds: Attempt<Addition>[] = [];
  readonly client: ApiClient;
  private readonly writers = new Set<number>();
  private newest = 0;

  private constructor(
    private readonly postgres: ServingPostgres,
    readonly system: SystemUnderTest,
    private readonly proxies: Readonly<Record<KindOfWrite['by'], PostgresProxy>>,
  ) {
    this.client = new ApiClient(system.origin, system.key);
    proxies.service.watch(({ connection: { number }, from, text }) => {
      this.newest = Math.max(this.newest, number);
      if (from === 'client' && beginsATransaction(text)) this.writers.add(number);
    });
  }

  /** Ends with the test. */
  static async start(): Promise<EndangeredWrites> {
    const postgres = await startServingPostgres();
    const proxies = { service: await openPostgresProxy(postgres.url), command: await openPostgresProxy(postgres.url) };
    const system = await createSystem(async () => ({ url: proxies.service.url }));
    await system.launch().listening;
    return new EndangeredWrites(postgres, system, proxies);
  }

  /** The database as commands reach it while something may fail, and with nothing in the way. */
  get urls(): Readonly<Record<'endangered' | 'direct', string>> {
    return { endangered: this.proxies.command.url, direct: this.postgres.url };
  }

  /** Writes twice with nothing in the way. Returns the messages by which that was done the shorter way: others may write beside it. */
  async rehearse(kind: KindOfWrite, connections: Connections): Promise<readonly Place[]> {
    const [first, second] = [await this.rehearseOnce(kind, connections, 1), await this.rehearseOnce(kind, connections, 2)];
    return first.length < second.length ? first : second;
  }

  /** Writes once, and lets the connection fail on the way. Returns what went wrong with it. */
  async endure(kind: KindOfWrite, connections: Connections, failure: Failure): Promise<string[]> {
    const label = `${kind.name} on ${connections} connections, ${describeFailure(failure)}`;
    const violations: string[] = [];
    const placeOf = placing();
    const isConcerned = await this.prepare(kind, connections);
    const plan = this.proxies[kind.by].fail((message) => isConcerned(message) && isReached(failure, placeOf(message)), failure.fault);
    const note = (error: unknown) => {
      if (error instanceof LivenessError) throw error;
      violations.push(`${label}: ${String(error)}`);
    };
    const writing = kind.write(label).catch(note);
    // Awaited below; until then a failure must not end the process.
    writing.catch(() => undefined);
    await Promise.race([plan.struck, writing]);
    if (failure.fault === 'stall' && plan.hasStruck) await systemTimers.within(writing, STALLED_MILLISECONDS);
    plan.lift();
    this.adds.push(...(await this.postgres.awaitWholeness(this.client, label)));
    if (!(await systemTimers.within(writing, ENDS_WITHIN_MILLISECONDS))) throw new LivenessError(`${label} does not end`);
    await writing;
    await kind.finish?.(label).catch(note);
    return violations;
  }

  private async rehearseOnce(kind: KindOfWrite, connections: Connections, time: number): Promise<readonly Place[]> {
    const label = `${kind.name} on ${connections} connections, undisturbed, ${time}`;
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

/** With which errors the server may answer there; a statement inside of a transaction only fails that, which other suites look at. */
export function sqlstatesAt({ type, text }: Pick<Place, 'type' | 'text'>): readonly string[] {
  if (type === STARTUP) return ['53300', '55000', '57P03'];
  return /^[QP]$/.test(type) && beginsATransaction(text) ? ['57014'] : [];
}

function beginsATransaction(text: string): boolean {
  return /^(?:BEGIN|START)\b/.test(text);
}

/** Counts the messages of each sender. */
function placing(): (message: PassingMessage) => Place {
  const seen = { client: 0, server: 0 };
  return ({ from, type, text }) => ({ from, type, text, number: (seen[from] += 1) });
}

/** Whether a failure is to strike at a message that stands there. An error strikes where the server may answer with it. */
function isReached({ place, fault }: Failure, here: Place): boolean {
  if (typeof fault === 'object') return here.from === 'client' && sqlstatesAt(here).includes(fault.sqlstate);
  return here.from === place.from && here.number === place.number;
}

function describeFailure({ place: { from, number, type, text }, fault }: Failure): string {
  const what = typeof fault === 'string' ? fault : fault.sqlstate;
  return `${what} at message ${number} of the ${from} (${[type, text.slice(0, 30)].filter(Boolean).join(' ')})`;
}
