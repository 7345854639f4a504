import { CommandBus } from '@nestjs/cqrs';
import type { Answer } from '../../../test/e2e/api-client.fixture.js';
import { repeatWithoutReads } from '../../../test/e2e/repeated-request.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { ORDERS, startStore, type OrderBody, type Store } from '../../../test/e2e/store.fixture.js';
import { RotateApiKey } from '../../auth/index.js';

describe('an order with an Idempotency-Key', () => {
  let store: Store;
  beforeAll(async () => (store = await startStore()));
  afterAll(() => store.close());

  const orderWith = (key: string, body: unknown, token = store.customer) =>
    store.order(body, { key: token, headers: { 'idempotency-key': key } });
  const expectReplayOf = (first: Answer, again: Answer) => {
    expect(again).toMatchObject({ status: 201, text: first.text });
    for (const name of ['etag', 'location']) expect(again.headers[name]).toBe(first.headers[name]);
    expect(again.headers['idempotency-replayed']).toBe('true');
  };

  it('is the first answer again, however it moves on and also when its animal is gone', async () => {
    const petId = await store.addAvailable();
    const first = await orderWith('k-1', { petId, note: 'mine' });
    const { id } = first.json<OrderBody>();
    const steps = [
      () => store.move(id, 'approve'),
      () => store.move(id, 'deliver'),
      () => store.client.send('DELETE', `/v1/pets/${petId}?reason=moved`, { key: store.keeper }),
    ];
    for (const step of [() => Promise.resolve({ status: 200 }), ...steps]) {
      expect([200, 204]).toContain((await step()).status);
      const events = await store.recordedBy(async () => {
        expectReplayOf(first, await orderWith('k-1', { note: 'mine', quantity: 1, petId }));
        for (const other of [{ petId }, { petId, note: 'mine ' }, { petId: petId + 1, note: 'mine' }, { petId: 999_999, note: 'mine' }]) {
          expect((await orderWith('k-1', other)).json()).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
        }
      });
      expect(events).toEqual([]);
    }
  });

  it('is the first answer again before anything is read, while a new key is refused by what is read', async () => {
    const petId = await store.addAvailable();
    const { first, again } = await repeatWithoutReads(store, () => orderWith('k-5', { petId }));
    expectReplayOf(first, again);
    const pets = await store.addSeveral(2);
    const { again: another } = await repeatWithoutReads(store, () => orderWith(`k-6-${pets.length}`, { petId: pets.pop() }));
    expect(another.json()).toMatchObject({ code: 'conflict', message: expect.stringContaining('was read before') });
  });

  it('is placed once for many overlapping requests', async () => {
    const petId = await store.addAvailable();
    const answers = await Promise.all(Array.from({ length: 20 }, () => orderWith('k-2', { petId })));
    const placed = answers.filter(({ status }) => status === 201);
    expect(new Set(placed.map(({ text }) => text)).size).toBe(1);
    expect(placed.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer.json()).toMatchObject({ code: 'idempotency_key_in_progress', status: 409 });
    }
  });

  it('leaves the key free after a refusal, and to other API keys and operations', async () => {
    expect((await orderWith('k-3', { petId: 999_999 })).status).toBe(404);
    const pet = await store.client.post('/v1/pets', { name: 'Rex', categoryId: 7 }, { headers: { 'idempotency-key': 'k-3' } });
    expect(pet.status).toBe(201);
    for (const token of [store.customer, store.neighbour]) {
      const answer = await orderWith('k-3', { petId: await store.addAvailable() }, token);
      expect([answer.status, answer.headers['idempotency-replayed']]).toEqual([201, undefined]);
    }
  });

  it('stays with its API key when that is rotated', async () => {
    const { id, token } = await store.issueKey({ ...UNLIMITED, scopes: ['orders'] });
    const petId = await store.addAvailable();
    const first = await orderWith('k-4', { petId }, token);
    const { key } = await store.app.get(CommandBus).execute(new RotateApiKey({ id, metadata: { actor: 'system' } }));
    expectReplayOf(first, await orderWith('k-4', { petId }, key));
    expect((await store.client.get(`${ORDERS}/${first.json<OrderBody>().id}`, { key })).text).toBe(first.text);
    expect((await store.move(first.json<OrderBody>().id, 'cancel', { key })).status).toBe(200);
  });
});
