import { CommandBus } from '@nestjs/cqrs';
import { TimeoutSchedule } from '#libs/event-sourcing';
import type { Answer } from '../../../test/e2e/api-client.fixture.js';
import { repeatWithoutReads } from '../../../test/e2e/repeated-request.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { ORDERS, startStore, told, type OrderBody, type Store } from '../../../test/e2e/store.fixture.js';
import { ChangeApiKey } from '../../auth/index.js';

// The rules of orders are tested by a model (orders-model.e2e.spec.ts); here is what it does not say.
describe('an order', () => {
  let store: Store;
  beforeAll(async () => (store = await startStore({ polls: false })));
  afterAll(() => store.close());

  const orderWith = (key: string, body: unknown, token = store.customer) =>
    store.order(body, { key: token, headers: { 'idempotency-key': key } });
  const expectReplayOf = (first: Answer, again: Answer) => {
    expect(again).toMatchObject({ status: 201, text: first.text });
    for (const name of ['etag', 'location']) expect(again.headers[name]).toBe(first.headers[name]);
    expect(again.headers['idempotency-replayed']).toBe('true');
  };

  it('keeps the reason of its cancellation in the log, in the name of who has given it first', async () => {
    const { id } = await store.place();
    const cancel = (reason: string) => store.move(id, 'cancel', { key: store.customer, body: { reason } });
    const [cancelled] = await store.recordedBy(() => cancel('elsewhere'));
    expect(cancelled).toMatchObject({
      type: 'order-cancelled',
      data: { reason: 'elsewhere' },
      metadata: { requestId: expect.any(String) },
    });
    expect(await store.recordedBy(() => cancel('another'))).toEqual([]);
  });

  it('expires in the name of the service, once', async () => {
    const { id, petId, expiresAt } = await store.place();
    const run = () => store.recordedBy(() => store.app.get(TimeoutSchedule).run());
    store.clock.set(expiresAt);
    const events = (await run()).filter(({ stream }) => [`order-${id}`, `pet-${petId}`].includes(stream));
    expect(told(events)).toEqual([`order-${id} order-expired`, `pet-${petId} pet-status-set`]);
    expect(events.map(({ metadata }) => metadata)).toEqual([{ actor: 'system' }, { actor: 'system' }]);
    expect(await run()).toEqual([]);
  });

  it('is repeated before anything is read, while a new key is refused by what is read', async () => {
    const petId = await store.addAvailable();
    const { first, again } = await repeatWithoutReads(store, () => orderWith('k-5', { petId }));
    expectReplayOf(first, again);
    const pets = await store.addSeveral(2);
    const { again: another } = await repeatWithoutReads(store, () => orderWith(`k-6-${pets.length}`, { petId: pets.pop() }));
    expect(another.json()).toMatchObject({ code: 'conflict', message: expect.stringContaining('was read before') });
  });

  it('leaves the key to other operations, and stays with its API key when that is rotated', async () => {
    const { id, token } = await store.issueKey({ ...UNLIMITED, scopes: ['orders'] });
    const pet = { name: 'Rex', categoryId: 7, status: 'available' };
    const added = await store.client.post('/v1/pets', pet, { headers: { 'idempotency-key': 'k-4' } });
    const petId = added.json<{ id: number }>().id;
    const first = await orderWith('k-4', { petId }, token);
    const { key = '' } = await store.app
      .get(CommandBus)
      .execute(new ChangeApiKey({ type: 'rotate', id }, { metadata: { actor: 'system' } }));
    expectReplayOf(first, await orderWith('k-4', { petId }, key));
    const { id: orderId } = first.json<OrderBody>();
    expect((await store.client.get(`${ORDERS}/${orderId}`, { key })).text).toBe(first.text);
    expect((await store.move(orderId, 'cancel', { key })).status).toBe(200);
  });
});
