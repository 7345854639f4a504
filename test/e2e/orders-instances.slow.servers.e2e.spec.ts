import { EventStore, type RecordedEvent, TimeoutSchedule, ReadModels } from '#libs/event-sourcing';
import { openRedisSpace, type RedisSpace } from '../databases/redis.fixture.js';
import { ApiClient, type Answer } from './api-client.fixture.js';
import { startInstances, type Instances } from './instances.fixture.js';
import { faultsOf, wholeLog } from './orders/order-log.fixture.js';
import { UNLIMITED } from './service.fixture.js';

const RESERVATION = 3_000;
const ROUNDS = 25;

interface ShownOrder {
  readonly id: number;
  readonly petId: number;
  readonly status: string;
}

describe('orders at two instances on one database', () => {
  let space: RedisSpace;
  let instances: Instances;
  /** Two of each instance, since a client sends so many requests at once and no more. */
  let clients: ApiClient[];
  let staff: string;
  let shop: string;
  beforeAll(async () => {
    space = await openRedisSpace();
    instances = await startInstances(2, space, { ORDER_RESERVATION_MINUTES: String(RESERVATION / 60_000) });
    const { issueKey } = instances.next();
    staff = (await issueKey({ ...UNLIMITED, scopes: ['pets', 'pets:write', 'orders:all', 'graphql'] })).token;
    shop = (await issueKey({ ...UNLIMITED, scopes: ['orders'] })).token;
    clients = [...instances.all, ...instances.all].map(({ origin }) => new ApiClient(origin, staff));
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await instances.close();
    await space.close();
  });

  /** Sends to the one instance where the index is even, and to the other where it is odd. */
  const at = (index: number): ApiClient => {
    const client = clients[index % clients.length];
    if (!client) throw new Error('There is no such instance.');
    return client;
  };
  const post = (index: number, target: string, body?: unknown) => at(index).post(target, body);
  const addPet = async (): Promise<number> => idOf(await post(0, '/v1/pets', { name: 'Rex', categoryId: 7, status: 'available' }));
  const place = (index: number, petId: number, headers = {}) => at(index).post('/v1/store/orders', { petId }, { key: shop, headers });
  const placed = async (): Promise<ShownOrder> => (await place(0, await addPet())).json<ShownOrder>();
  const approved = async (): Promise<ShownOrder> => (await move(0, await placed(), 'approve')).json<ShownOrder>();
  const move = (index: number, { id }: ShownOrder, to: string) => post(index, `/v1/store/orders/${id}/${to}`);
  const withdraw = (index: number, petId: number) => at(index).send('DELETE', `/v1/pets/${petId}?reason=gone`);
  const ordersOf = async (petId: number) => (await at(1).get(`/v1/store/orders?petId=${petId}`)).json<ShownOrder[]>();
  const log = () => wholeLog(instances.next().app.get(EventStore));
  const fireTimeouts = () => Promise.all(instances.all.map(({ app }) => app.get(TimeoutSchedule).run()));
  const rounds = <Result>(round: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: ROUNDS }, (_, index) => round(index)));

  it('reserve an animal for one of 200 who order it at once, and tell the others', async () => {
    const petId = await addPet();
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => place(index, petId)));
    const { '201 placed': won, ...lost } = tally(answers);
    expect(won).toBe(1);
    expect(Object.keys(lost).filter((outcome) => !/^409 (?:pet_not_available|conflict)$/.test(outcome))).toEqual([]);
    const [order, ...further] = await ordersOf(petId);
    expect(further).toEqual([]);
    expect(order).toMatchObject(answers.find(({ status }) => status === 201)?.json() ?? {});
    const events = (await log()).filter(({ stream, data }) => stream === `pet-${petId}` || ('petId' in data && data.petId === `${petId}`));
    expect(events.map(({ type }) => type)).toEqual(['pet-added', 'order-placed', 'pet-status-set']);
    const inventory = { available: 0, pending: 1, sold: 0, unset: 0 };
    expect((await at(0).get('/v1/store/inventory')).json()).toEqual(inventory);
    const query = `{ inventory { available pending sold unset } pet(id: ${petId}) { status orders { nodes { id status } } } }`;
    const pet = { status: 'PENDING', orders: { nodes: [{ id: String(order?.id), status: 'PLACED' }] } };
    expect((await post(1, '/graphql', { query })).json()).toEqual({ data: { inventory, pet } });
  });

  it('are approved or expire, never both, when both are due at the same instant', async () => {
    const orders = await rounds(placed);
    instances.clock.advance(RESERVATION - 1);
    const early = orders.slice(0, ROUNDS - 5).map((order, index) => move(index, order, 'approve'));
    await Promise.race(early);
    instances.clock.advance(1);
    const late = orders.slice(ROUNDS - 5).map((order, index) => move(index, order, 'approve'));
    const [answers] = await Promise.all([Promise.all([...early, ...late]), fireTimeouts()]);
    const events = await log();
    orders.forEach((order, index) => {
      const isApproved = answers[index]?.status === 200;
      expect(outcomeOf(answers[index])).toBe(isApproved ? '200 approved' : '409 order_not_placed');
      expect(listEventTypes(events, order)).toEqual(['order-placed', isApproved ? 'order-approved' : 'order-expired']);
    });
    expect(Object.keys(tally(answers)).sort()).toEqual(['200 approved', '409 order_not_placed']);
  });

  it('follow one whose time has passed, while timeouts fire, once for each animal', async () => {
    for (let wave = 0; wave < 6; wave += 1) {
      const orders = await rounds(placed);
      instances.clock.advance(RESERVATION);
      // With one request for an animal nobody else can be told to have it; with two, one of them is.
      const following = orders.map(({ petId }, index) =>
        Promise.all(index % 3 > 0 ? [place(index, petId)] : [place(0, petId), place(1, petId)]),
      );
      const [answers] = await Promise.all([Promise.all(following), fireTimeouts()]);
      const told = (pair: readonly Answer[]) => ({ '201 placed': 1, ...(pair.length > 1 && { '409 pet_not_available': 1 }) });
      for (const pair of answers) expect(tally(pair)).toEqual(told(pair));
      const events = await log();
      for (const order of orders) expect(listEventTypes(events, order)).toEqual(['order-placed', 'order-expired']);
    }
  });

  it.each([
    ['approve', placed, ['204 1,200 approved', '204 1,409 order_not_placed']],
    ['deliver', approved, ['204 1,409 order_not_approved', '204 0,200 delivered']],
    ['cancel', approved, ['204 1,200 cancelled', '204 0,200 cancelled']],
  ])('are told when an animal is withdrawn while someone wants to %s its order', async (to, prepared, possible) => {
    const outcomes = await rounds(async (index) => {
      const order = await prepared();
      const [gone, moved] = await Promise.all([withdraw(index, order.petId), move(index + 1, order, to)]);
      return `${gone.status} ${gone.headers['x-cancelled-order'] === String(order.id) ? 1 : 0},${outcomeOf(moved)}`;
    });
    expect(outcomes.filter((outcome) => !possible.includes(outcome))).toEqual([]);
  });

  it('leave a log in which each takes its legal course and no animal has two open ones', async () => {
    expect(faultsOf(await log())).toEqual([]);
    expect(await instances.next().app.get(ReadModels).verify()).toEqual([]);
  });
});

function idOf(answer: Answer): number {
  return answer.json<{ id: number }>().id;
}

/** Such as `201 placed` or `409 pet_not_available`. */
function outcomeOf(answer: Answer | undefined): string {
  const { code, status } = answer?.json<{ code?: string; status: unknown }>() ?? {};
  return `${answer?.status} ${code ?? String(status)}`;
}

/** How often each outcome was met. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of answers.map(outcomeOf)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

function listEventTypes(log: readonly RecordedEvent[], { id }: ShownOrder): string[] {
  return log.filter(({ stream }) => stream === `order-${id}`).map(({ type }) => type);
}
