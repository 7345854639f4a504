import type { Answer, RequestOptions } from '../../../test/e2e/api-client.fixture.js';
import { ORDERS, startStore, told, type OrderBody, type Store } from '../../../test/e2e/store.fixture.js';

/** The allowed transitions of each status, as the error lists them. */
const FURTHER = {
  placed: 'is placed, from which it may become approved, cancelled, expired.',
  approved: 'is approved, from which it may become delivered, cancelled.',
  delivered: 'is delivered, which is final.',
  cancelled: 'is cancelled, which is final.',
  expired: 'is expired, which is final.',
} as const;

type Status = keyof typeof FURTHER;

const STATUSES = Object.keys(FURTHER) as Status[];

/** From where each move is made, where it leads, and what it is refused with from elsewhere. */
const MOVES = [
  { move: 'approve', from: ['placed'], to: 'approved', code: 'order_not_placed' },
  { move: 'deliver', from: ['approved'], to: 'delivered', code: 'order_not_approved' },
  { move: 'cancel', from: ['placed', 'approved'], to: 'cancelled', code: 'order_not_open' },
] as const;

const PET_AFTER: Readonly<Record<Status, string>> = {
  placed: 'pending',
  approved: 'pending',
  delivered: 'sold',
  cancelled: 'available',
  expired: 'available',
};

describe('an order', () => {
  let store: Store;
  beforeAll(async () => (store = await startStore()));
  afterAll(() => store.close());

  const get = (id: number) => store.client.get(`${ORDERS}/${id}`, { key: store.customer });
  /** The answer to a move, which has to be the order as GET gives it from then on. */
  const moved = async (id: number, move: string, options?: RequestOptions) => {
    const answer = await store.move(id, move, options);
    expect(answer.status).toBe(200);
    const read = await get(id);
    expect([answer.text, answer.headers.etag]).toEqual([read.text, read.headers.etag]);
    return answer.json<OrderBody>();
  };

  it('leads from an available animal to its adoption', async () => {
    const petId = await store.addAvailable();
    const placed = await store.order({ petId, note: ' Saturday? 🐕 ' });
    const { id } = placed.json<OrderBody>();
    const now = store.clock.now();
    expect(placed.status).toBe(201);
    expect(placed.text).toBe(
      `{"id":${id},"petId":${petId},"quantity":1,"status":"placed","placedAt":"${now.toISOString()}",` +
        `"expiresAt":"${new Date(now.getTime() + 86_400_000).toISOString()}","version":1,"note":" Saturday? 🐕 "}`,
    );
    expect(placed.headers.location).toBe(`${ORDERS}/${id}`);
    expect(placed.headers.etag).toMatch(/^"[\w-]{22}"$/);
    expect(placed.headers['idempotency-replayed']).toBeUndefined();
    const read = await get(id);
    expect([read.text, read.headers.etag]).toEqual([placed.text, placed.headers.etag]);
    expect(await store.statusOf(petId)).toBe('pending');
    expect(await moved(id, 'approve')).toEqual({ ...placed.json(), status: 'approved', version: 2 });
    expect(await moved(id, 'deliver', { body: {} })).toEqual({ ...placed.json(), status: 'delivered', version: 3 });
    expect(await store.statusOf(petId)).toBe('sold');
  });

  it('has no note unless given, and ascending ids', async () => {
    const [first, second] = [await store.place(), await store.place()];
    expect(first).not.toHaveProperty('note');
    expect(second.id).toBe(first.id + 1);
  });

  it('is recorded in one append with the change of its animal, by one request', async () => {
    const petId = await store.addAvailable();
    let id = 0;
    const by = (requestId: string) => ({ headers: { 'x-request-id': requestId } });
    const expectTogether = async (requestId: string, types: readonly string[], doing: (options: RequestOptions) => Promise<Answer>) => {
      const events = await store.recordedBy(async () => (id = (await doing(by(requestId))).json<OrderBody>().id));
      const [first] = events;
      expect(told(events)).toEqual(types.map((type) => (type.startsWith('pet') ? `pet-${petId} ${type}` : `order-${id} ${type}`)));
      expect(events.map(({ position }) => position - (first?.position ?? 0n))).toEqual(types.map((_, index) => BigInt(index)));
      expect(events.map(({ metadata }) => metadata.requestId)).toEqual(types.map(() => requestId));
      expect(new Set(events.map(({ metadata }) => metadata.actor)).size).toBe(1);
    };
    await expectTogether('place-1', ['order-placed', 'pet-status-set'], (options) => store.order({ petId }, options));
    await expectTogether('cancel-1', ['order-cancelled', 'pet-status-set'], (options) => store.move(id, 'cancel', options));
    await expectTogether('place-2', ['order-placed', 'pet-status-set'], (options) => store.order({ petId }, options));
    await expectTogether('approve-2', ['order-approved'], (options) => store.move(id, 'approve', options));
    await expectTogether('deliver-2', ['order-delivered', 'pet-status-set'], (options) => store.move(id, 'deliver', options));
  });

  it.each(STATUSES.flatMap((status) => MOVES.map((each) => ({ ...each, status }))))(
    'that is $status goes where $move allows',
    async ({ status, move, from, to, code }) => {
      const order = await store.toOrderSnapshot(status);
      expect(order.status).toBe(status);
      const events = await store.recordedBy(async () => {
        if (status === to) expect(await moved(order.id, move)).toEqual(order);
        else if ((from as readonly Status[]).includes(status)) {
          expect(await moved(order.id, move)).toEqual({ ...order, status: to, version: order.version + 1 });
        } else {
          const answer = await store.move(order.id, move);
          expect(answer.json()).toEqual({
            code,
            message: expect.stringContaining(`the order ${order.id} ${FURTHER[status]}`),
            status: 409,
          });
        }
      });
      const hasMoved = status !== to && (from as readonly Status[]).includes(status);
      expect(told(events).filter((event) => event.startsWith('order-'))).toEqual(hasMoved ? [`order-${order.id} order-${to}`] : []);
      expect(await store.statusOf(order.petId)).toBe(PET_AFTER[hasMoved ? to : status]);
    },
  );

  it('keeps the reason of its cancellation in the log, which its owner may give until it is delivered', async () => {
    const [placed, approved, delivered] = [
      await store.place(),
      await store.toOrderSnapshot('approved'),
      await store.toOrderSnapshot('delivered'),
    ];
    for (const { id } of [placed, approved]) {
      const events = await store.recordedBy(() => moved(id, 'cancel', { key: store.customer, body: { reason: 'elsewhere' } }));
      expect(events[0]).toMatchObject({ type: 'order-cancelled', data: { reason: 'elsewhere' } });
      expect(await store.recordedBy(() => moved(id, 'cancel', { key: store.customer, body: { reason: 'another' } }))).toEqual([]);
    }
    expect((await store.move(delivered.id, 'cancel', { key: store.customer })).json()).toMatchObject({ code: 'order_not_open' });
  });

  it.each(['pending', 'sold', undefined])('is refused for an animal that is %s', async (status) => {
    const { id } = (await store.client.post('/v1/pets', { name: 'Mia', categoryId: 1, status })).json<OrderBody>();
    const refusal = (await store.order({ petId: id })).json();
    expect(refusal).toEqual({ code: 'pet_not_available', message: expect.stringContaining(status ?? 'no status'), status: 409 });
  });

  it('is refused for an animal that is reserved, also to who has reserved it', async () => {
    const { petId } = await store.place();
    for (const key of [store.customer, store.neighbour]) {
      expect((await store.order({ petId }, { key })).json()).toMatchObject({ code: 'pet_not_available', status: 409 });
    }
  });

  it('is refused first for its body, then for its key, then for want of the animal, and then for its status', async () => {
    const headers = { 'idempotency-key': 'order-of-checks' };
    expect((await store.order({ petId: await store.addAvailable() }, { headers })).status).toBe(201);
    const { petId: reserved } = await store.place();
    expect((await store.order({ petId: 999_999, quantity: 2 }, { headers })).json()).toMatchObject({
      code: 'invalid_request',
      status: 400,
    });
    for (const petId of [999_999, reserved]) {
      expect((await store.order({ petId }, { headers })).json()).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    }
    const missing = await store.order({ petId: 999_999 });
    expect(missing.json()).toEqual({ code: 'not_found', message: 'There is no animal with the id 999999.', status: 404 });
    expect((await store.order({ petId: reserved })).json()).toMatchObject({ code: 'pet_not_available', status: 409 });
  });

  it.each<[what: string, body: unknown, named: string]>([
    ['no animal', {}, 'petId'],
    ['an animal in quotes', { petId: '1' }, 'petId'],
    ['a quantity of 2', { petId: 1, quantity: 2 }, 'an animal is one of its kind'],
    ['a quantity with a point', '{"petId":1,"quantity":1.5}', 'an animal is one of its kind'],
    ['an empty note', { petId: 1, note: '' }, 'note'],
    ['a note of 1,001 characters', { petId: 1, note: '🐕'.repeat(1_001) }, 'note'],
    ['a status', { petId: 1, status: 'approved' }, '"status"'],
    ['an owner', { petId: 1, placedBy: 1 }, '"placedBy"'],
  ])('is refused with %s', async (_, body, named) => {
    const refusal = (await store.order(body)).json();
    expect(refusal).toEqual({ code: 'invalid_request', message: expect.stringContaining(named), status: 400, errors: expect.any(Array) });
  });

  it('is refused without a body', async () => {
    expect((await store.order(undefined)).json()).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('a JSON object'),
    });
  });

  it('takes a note of 1,000 characters', async () => {
    const note = '🐕'.repeat(1_000);
    expect((await store.order({ petId: await store.addAvailable(), note })).json()).toMatchObject({ note });
  });

  it.each<[move: string, what: string, body: unknown]>([
    ['approve', 'a reason', { reason: 'x' }],
    ['deliver', 'a reason', { reason: 'x' }],
    ['cancel', 'a reason of 1,001 characters', { reason: 'a'.repeat(1_001) }],
  ])('is not moved by %s with %s', async (move, _, body) => {
    const { id } = await store.toOrderSnapshot(move === 'deliver' ? 'approved' : 'placed');
    const events = await store.recordedBy(async () => {
      expect((await store.move(id, move, { body })).json()).toMatchObject({ code: 'invalid_request', status: 400 });
      expect((await store.move(999_999, move, { body })).json()).toMatchObject({ code: 'invalid_request', status: 400 });
    });
    expect(events).toEqual([]);
    expect((await store.move(id, move, { body: move === 'cancel' ? { reason: 'a'.repeat(1_000) } : {} })).status).toBe(200);
  });
});
