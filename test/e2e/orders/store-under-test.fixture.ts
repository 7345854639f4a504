import { TimeoutSchedule } from '#libs/event-sourcing';
import { SettableClock } from '#libs/testing';
import { createDatabase } from '../../databases/test-backend.fixture.js';
import type { TestDatabase } from '../../databases/test-database.fixture.js';
import type { Answer } from '../api-client.fixture.js';
import { startService, UNLIMITED, type Service } from '../service.fixture.js';
import { AdoptionModel, type Caller, type LastIds } from './adoption-model.fixture.js';

/** Milliseconds for which an order holds its animal. */
const RESERVATION = 3_000;
const SCOPES: readonly (readonly [Caller, readonly string[]])[] = [
  ['shop 1', ['orders']],
  ['shop 2', ['orders']],
  ['staff', ['pets', 'pets:write', 'orders:all', 'graphql']],
];

export interface StoreRequest {
  readonly caller: Caller;
  readonly method?: string;
  readonly target: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service that can be stopped and started on the same database; time passes and timeouts fire only where a test says so. */
export class StoreUnderTest {
  private readonly lastIds: LastIds = { pet: 0, order: 0 };
  private readonly tokens = new Map<Caller, string>();

  private constructor(
    private readonly database: TestDatabase,
    private readonly clock: SettableClock,
    private service: Service,
  ) {}

  static async open(): Promise<StoreUnderTest> {
    const database = await createDatabase();
    const clock = new SettableClock(new Date('2026-06-01T12:00:00.000Z'));
    return new StoreUnderTest(database, clock, await startOn(database, clock));
  }

  get app(): Service['app'] {
    return this.service.app;
  }

  /** Callers that have done nothing yet, and two animals that can be ordered. */
  async beginRun(): Promise<AdoptionModel> {
    for (const [caller, scopes] of SCOPES) this.tokens.set(caller, (await this.service.issueKey({ ...UNLIMITED, scopes })).token);
    const model = new AdoptionModel(this.clock.now().getTime(), RESERVATION, this.lastIds);
    for (const name of ['Rex', 'Ana']) {
      model.add(name, 'available');
      await this.send({ caller: 'staff', method: 'POST', target: '/v1/pets', body: { name, categoryId: 7, status: 'available' } });
    }
    return model;
  }

  send({ caller, method = 'GET', target, body, headers = {} }: StoreRequest): Promise<Answer> {
    return this.service.client.send(method, target, { body, headers, key: this.tokens.get(caller) ?? null });
  }

  advance(milliseconds: number): void {
    this.clock.advance(milliseconds);
  }

  fireTimeouts(): Promise<void> {
    return this.app.get(TimeoutSchedule).run();
  }

  async restart(): Promise<void> {
    await this.service.close();
    this.service = await startOn(this.database, this.clock);
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.database.remove();
  }
}

function startOn({ url }: TestDatabase, clock: SettableClock): Promise<Service> {
  return startService({ clock, polls: false, environment: { DATABASE_URL: url, ORDER_RESERVATION_MINUTES: String(RESERVATION / 60_000) } });
}
