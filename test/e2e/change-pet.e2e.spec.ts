import type { Answer } from './api-client.fixture.js';
import { ORDERS, startStore, told, type OrderBody, type Store } from './store.fixture.js';

const MERGE_PATCH = 'application/merge-patch+json';

describe('changes of an animal', () => {
  let store: Store;
  beforeAll(async () => (store = await startStore()));
  afterAll(() => store.close());

  const get = (petId: number) => store.client.get(`/v1/pets/${petId}`);
  const patch = (petId: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    store.client.send('PATCH', `/v1/pets/${petId}`, { key: store.keeper, body, headers });
  const withdraw = (petId: number, query = '?reason=moved%20away', headers: Readonly<Record<string, string>> = {}) =>
    store.client.send('DELETE', `/v1/pets/${petId}${query}`, { key: store.keeper, headers });
  /** The answer to a change, which has to be the animal as GET gives it from then on. */
  const changed = async (petId: number, body: unknown, headers?: Readonly<Record<string, string>>) => {
    const answer = await patch(petId, body, headers);
    expect(answer.status).toBe(200);
    const read = await get(petId);
    expect([answer.text, answer.headers.etag]).toEqual([read.text, read.headers.etag]);
    return answer.json();
  };
  const expectUntold = async (refused: () => Promise<Answer>, refusal: object) => {
    const answers: Answer[] = [];
    expect(told(await store.recordedBy(async () => answers.push(await refused())))).toEqual([]);
    expect(answers[0]?.json()).toMatchObject(refusal);
    return answers[0];
  };

  /** Both writes of an animal, with a body or query that would do. */
  const WRITES = [
    ['PATCH', (petId: number, headers?: Readonly<Record<string, string>>) => patch(petId, { name: 'Max' }, headers)],
    ['DELETE', (petId: number, headers?: Readonly<Record<string, string>>) => withdraw(petId, undefined, headers)],
  ] as const;

  describe('PATCH', () => {
    it.each(['application/json', MERGE_PATCH, 'Application/Merge-Patch+JSON; charset=UTF-8'])('takes %s', async (type) => {
      const id = await store.addAvailable();
      expect(await changed(id, { name: 'Zoë' }, { 'content-type': type })).toEqual({ id, name: 'Zoë', categoryId: 7, status: 'available' });
    });

    it('changes all that is given in one append, and nothing else', async () => {
      const id = await store.addAvailable();
      const events = await store.recordedBy(() => changed(id, '{"status":"sold","categoryId":9223372036854775807,"name":"Mia"}'));
      expect(told(events)).toEqual([`pet-${id} pet-corrected`, `pet-${id} pet-status-set`]);
      expect(events.map(({ data }) => data)).toEqual([{ name: 'Mia', categoryId: '9223372036854775807' }, { status: 'sold' }]);
      expect(new Set(events.map(({ metadata }) => metadata.requestId)).size).toBe(1);
      expect((await get(id)).text).toBe(`{"id":${id},"name":"Mia","categoryId":9223372036854775807,"status":"sold"}`);
      expect(await changed(id, { categoryId: -1 })).toEqual({ id, name: 'Mia', categoryId: -1, status: 'sold' });
    });

    it('sets any status by hand where there is no order, also the first one', async () => {
      const { id } = (await store.client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).json<OrderBody>();
      for (const status of ['sold', 'available', 'pending', 'available', 'sold', 'pending', 'sold']) {
        expect(await changed(id, { status })).toMatchObject({ status });
      }
    });

    it('tells nothing where everything is so already', async () => {
      const id = await store.addAvailable();
      for (const body of [
        {},
        { name: 'Rex' },
        { categoryId: 7, status: 'available' },
        { name: 'Rex', categoryId: 7, status: 'available' },
      ]) {
        const { etag } = (await get(id)).headers;
        expect(told(await store.recordedBy(() => changed(id, body)))).toEqual([]);
        expect((await get(id)).headers.etag).toBe(etag);
      }
    });

    it('is refused as a whole, whether or not the animal is there', async () => {
      const refusal = { code: 'invalid_request', errors: [{ field: 'status' }], status: 400 };
      for (const petId of [await store.addAvailable(), 999_999]) {
        await expectUntold(() => patch(petId, { name: 'Max', status: null }), refusal);
      }
    });

    it('leaves the status of an animal with an open order to that order, and then all else too', async () => {
      for (const status of ['placed', 'approved'] as const) {
        const { id, petId } = await store.toOrderSnapshot(status);
        const refusal = { code: 'pet_has_open_order', message: expect.stringContaining(`the order ${id}`), status: 409 };
        for (const other of ['available', 'sold']) await expectUntold(() => patch(petId, { name: 'Max', status: other }), refusal);
        expect(await changed(petId, { name: 'Max', categoryId: 8, status: 'pending' })).toMatchObject({ name: 'Max', status: 'pending' });
      }
    });

    it('makes a returned animal available, to be adopted again', async () => {
      const { id, petId } = await store.toOrderSnapshot('delivered');
      expect((await store.order({ petId })).json()).toMatchObject({ code: 'pet_not_available' });
      expect(await changed(petId, { status: 'available' })).toMatchObject({ status: 'available' });
      const again = await store.place(petId);
      for (const move of ['approve', 'deliver']) expect((await store.move(again.id, move)).status).toBe(200);
      expect(await store.statusOf(petId)).toBe('sold');
      expect((await store.client.get(`${ORDERS}?petId=${petId}`, { key: store.customer })).json()).toMatchObject([
        { id, status: 'delivered', version: 3 },
        { id: again.id, status: 'delivered', version: 3 },
      ]);
    });
  });

  describe('DELETE', () => {
    it('withdraws an animal once, with the reason', async () => {
      const id = await store.addAvailable();
      const events = await store.recordedBy(async () => {
        const answer = await withdraw(id);
        expect([answer.status, answer.text, answer.headers['x-cancelled-order']]).toEqual([204, '', undefined]);
      });
      expect(events).toMatchObject([{ stream: `pet-${id}`, type: 'pet-withdrawn', data: { reason: 'moved away' } }]);
      expect((await get(id)).status).toBe(404);
      for (const [, write] of WRITES) await expectUntold(() => write(id), { code: 'not_found', status: 404 });
    });

    it.each(['placed', 'approved'] as const)('cancels an order that is %s in the same append, and names it', async (status) => {
      const order = await store.toOrderSnapshot(status);
      const events = await store.recordedBy(async () => {
        expect((await withdraw(order.petId)).headers['x-cancelled-order']).toBe(`${order.id}`);
      });
      expect(told(events)).toEqual([`order-${order.id} order-cancelled`, `pet-${order.petId} pet-withdrawn`]);
      expect(events.map(({ data }) => data)).toEqual([{ reason: 'moved away' }, { reason: 'moved away' }]);
      expect(new Set(events.map(({ metadata }) => metadata.requestId)).size).toBe(1);
      expect((events[0]?.position ?? 0n) + 1n).toBe(events[1]?.position);
      const read = await store.client.get(`${ORDERS}/${order.id}`, { key: store.customer });
      expect(read.json()).toEqual({ ...order, status: 'cancelled', version: order.version + 1 });
      const { data } = await store.ask(`{ order(id: ${order.id}) { status pet { id } } }`);
      expect(data).toEqual({ order: { status: 'CANCELLED', pet: null } });
      await expectUntold(() => store.move(order.id, 'cancel'), { status: 'cancelled' });
      await expectUntold(() => store.move(order.id, 'deliver'), { code: 'order_not_approved', status: 409 });
      await expectUntold(() => store.order({ petId: order.petId }), { code: 'not_found', status: 404 });
    });

    it.each(['delivered', 'cancelled', 'expired'] as const)('leaves an order that is %s as it is', async (status) => {
      const order = await store.toOrderSnapshot(status);
      const events = await store.recordedBy(async () => {
        expect((await withdraw(order.petId)).headers['x-cancelled-order']).toBeUndefined();
      });
      expect(told(events)).toEqual([`pet-${order.petId} pet-withdrawn`]);
      expect((await store.client.get(`${ORDERS}/${order.id}`, { key: store.customer })).json()).toEqual(order);
    });
  });

  describe.each(WRITES)('%s with If-Match', (method, write) => {
    it('is done when the tag of GET is named, or *', async () => {
      for (const conditionOf of [(tag: string) => tag, (tag: string) => `"x", ${tag}`, () => '*']) {
        const id = await store.addAvailable();
        expect((await write(id, { 'if-match': conditionOf(String((await get(id)).headers.etag)) })).status).toBe(
          method === 'PATCH' ? 200 : 204,
        );
      }
    });

    it('is refused with the tag that holds when that is not named', async () => {
      const id = await store.addAvailable();
      const tag = String((await get(id)).headers.etag);
      for (const condition of ['"x"', `W/${tag}`]) {
        const answer = await expectUntold(() => write(id, { 'if-match': condition }), { code: 'precondition_failed', status: 412 });
        expect(answer?.headers.etag).toBe(tag);
      }
    });

    it('is refused for want of the animal first, and for its order last', async () => {
      await expectUntold(() => write(999_999, { 'if-match': '"x"' }), { code: 'not_found', status: 404 });
      const { petId } = await store.place();
      for (const body of [{ status: 'sold' }, {}]) {
        await expectUntold(() => patch(petId, body, { 'if-match': '"x"' }), { code: 'precondition_failed', status: 412 });
      }
    });
  });
});
