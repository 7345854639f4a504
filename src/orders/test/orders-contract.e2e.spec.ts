import fc from 'fast-check';
import type { RequestOptions } from '../../../test/e2e/api-client.fixture.js';
import { fitsSchema } from '../../../test/e2e/openapi-contract.fixture.js';
import { ORDERS, startStore, type Store } from '../../../test/e2e/store.fixture.js';

const INVENTORY = '/v1/store/inventory';
const LARGE = 'x'.repeat(70_000);

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(' ', '\t\u2003', '\u0000', '\ud800', '\ufeff', 'a'.repeat(255), '🐈'.repeat(256), '🐈'.repeat(1_000), 'a'.repeat(1_001)),
);
const integers = fc.oneof(fc.integer({ min: -2, max: 3 }), fc.maxSafeInteger(), fc.constantFrom(0.5, -1.5));
const anything = fc.oneof(texts, integers, fc.constantFrom(null, true, [], {}, ['a'], { a: 1 }));
/** Mostly of the right type, seldom of any. */
const mostly = (values: fc.Arbitrary<unknown>) => fc.oneof({ weight: 6, arbitrary: values }, anything);
const bodyOf = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.record(members, { requiredKeys: [] }) },
    fc.record({ ...members, extra: anything }, { requiredKeys: ['extra'] }),
    fc.constantFrom(null, [], 'text', 7, {}),
  );

/** Every answer is compared with the document by the client that sends the request. */
describe('the orders and the OpenAPI document', () => {
  let store: Store;
  let order: number;
  let pet: number;
  beforeAll(async () => {
    store = await startStore();
    ({ id: order } = await store.place());
    pet = await store.addAvailable();
  });
  afterAll(() => store.close());

  /** The body as JSON: a text by itself is sent as it is. */
  const send = async (method: string, target: string, key: string, body: unknown) =>
    (await store.client.send(method, target, { key, body: JSON.stringify(body) })).status;

  it('agree on what a new order may say', async () => {
    const available = Symbol('an animal that is available');
    const nobody = anything.filter((drawn) => !(typeof drawn === 'number' && drawn > 0 && drawn < 1_000_000));
    const bodies = bodyOf({
      petId: fc.oneof({ weight: 6, arbitrary: fc.constant(available) }, nobody),
      quantity: mostly(fc.constant(1)),
      note: mostly(texts),
    });
    await fc.assert(
      fc.asyncProperty(bodies, async (drawn) => {
        const isTaken = typeof drawn === 'object' && drawn !== null && 'petId' in drawn && drawn.petId === available;
        const body: unknown = isTaken ? { ...drawn, petId: await store.addAvailable() } : drawn;
        const accepted = isTaken ? 201 : 404;
        expect(await send('POST', ORDERS, store.customer, body)).toBe(fitsSchema('NewOrder', body) ? accepted : 400);
      }),
      { numRuns: 150 },
    );
  });

  it('agree on what the cancellation of an order may say', async () => {
    await fc.assert(
      fc.asyncProperty(bodyOf({ reason: mostly(texts) }), async (body) => {
        const status = await send('POST', `${ORDERS}/${order}/cancel`, store.customer, body);
        expect(status).toBe(fitsSchema('OrderCancellation', body) ? 200 : 400);
      }),
    );
  });

  it.each(['approve', 'deliver'])('agree on what the request to %s an order may say', async (move) => {
    const { id } = await store.toOrderSnapshot('delivered');
    await fc.assert(
      fc.asyncProperty(bodyOf({ reason: anything }), async (body) => {
        const accepted = move === 'deliver' ? 200 : 409;
        expect(await send('POST', `${ORDERS}/${id}/${move}`, store.staff, body)).toBe(fitsSchema('OrderTransition', body) ? accepted : 400);
      }),
      { numRuns: 50 },
    );
  });

  it('agree on how an animal may be changed', async () => {
    const statuses = fc.constantFrom('available', 'pending', 'sold');
    const bodies = bodyOf({ name: mostly(texts), categoryId: mostly(integers), status: mostly(statuses) });
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        expect(await send('PATCH', `/v1/pets/${pet}`, store.keeper, body)).toBe(fitsSchema('PetChanges', body) ? 200 : 400);
      }),
      { numRuns: 150 },
    );
  });

  it.each<[status: number, method: string, target: string, options: RequestOptions]>([
    [200, 'HEAD', `${ORDERS}?limit=1&status=placed&petId=1`, {}],
    [304, 'GET', ORDERS, { headers: { 'if-none-match': '*' } }],
    [412, 'GET', ORDERS, { headers: { 'if-match': '"x"' } }],
    [400, 'GET', `${ORDERS}?limit=0`, {}],
    [400, 'HEAD', `${ORDERS}?placedBy=1`, {}],
    [406, 'GET', ORDERS, { headers: { accept: 'text/html' } }],
    [204, 'OPTIONS', ORDERS, {}],
    [400, 'POST', ORDERS, {}],
    [400, 'POST', `${ORDERS}?x=1`, { body: { petId: 1 } }],
    [400, 'POST', ORDERS, { body: { petId: 1 }, headers: { 'idempotency-key': 'a'.repeat(256) } }],
    [404, 'POST', ORDERS, { body: { petId: 999 }, headers: { 'if-match': '"x"' } }],
    [412, 'POST', ORDERS, { body: { petId: 1 }, headers: { 'if-none-match': '*' } }],
    [412, 'POST', `${ORDERS}/1/approve`, { headers: { 'if-none-match': '*' } }],
    [413, 'POST', ORDERS, { body: LARGE }],
    [415, 'POST', ORDERS, { body: '{}', headers: { 'content-type': 'application/merge-patch+json' } }],
    [200, 'HEAD', `${ORDERS}/1`, {}],
    [304, 'GET', `${ORDERS}/1`, { headers: { 'if-none-match': '*' } }],
    [412, 'GET', `${ORDERS}/1`, { headers: { 'if-match': 'W/"x"' } }],
    [404, 'GET', `${ORDERS}/9223372036854775807`, {}],
    [400, 'GET', `${ORDERS}/x`, {}],
    [400, 'GET', `${ORDERS}/1?x=1`, {}],
    [405, 'DELETE', `${ORDERS}/1`, {}],
    [404, 'POST', `${ORDERS}/999/approve`, {}],
    [400, 'POST', `${ORDERS}/x/deliver`, {}],
    [400, 'POST', `${ORDERS}/1/cancel?reason=x`, {}],
    [412, 'POST', `${ORDERS}/1/cancel`, { headers: { 'if-match': '"x"' } }],
    [413, 'POST', `${ORDERS}/1/cancel`, { body: LARGE }],
    [415, 'POST', `${ORDERS}/1/approve`, { body: '{}', headers: { 'content-type': 'text/plain' } }],
    [417, 'POST', `${ORDERS}/1/approve`, { headers: { expect: 'tea' } }],
    [405, 'GET', `${ORDERS}/1/deliver`, {}],
    [204, 'OPTIONS', `${ORDERS}/1/cancel`, {}],
    [401, 'POST', `${ORDERS}/1/approve`, { key: null }],
    [304, 'HEAD', INVENTORY, { headers: { 'if-none-match': '*' } }],
    [412, 'GET', INVENTORY, { headers: { 'if-match': '"x"' } }],
    [400, 'GET', `${INVENTORY}?status=sold`, {}],
    [405, 'POST', INVENTORY, {}],
    [401, 'GET', INVENTORY, { key: null }],
  ])('agree on %i for %s %s with %j', async (status, method, target, options) => {
    expect((await store.client.send(method, target, { key: store.staff, ...options })).status).toBe(status);
  });

  it.each<[status: number, method: string, target: string, options: RequestOptions]>([
    [200, 'PATCH', '/v1/pets/1', { body: {}, headers: { 'if-none-match': '"x"' } }],
    [412, 'PATCH', '/v1/pets/1', { body: {}, headers: { 'if-none-match': '*' } }],
    [404, 'PATCH', '/v1/pets/999', { body: {}, headers: { 'if-none-match': '*' } }],
    [400, 'PATCH', '/v1/pets/1', {}],
    [400, 'PATCH', '/v1/pets/x', { body: {} }],
    [400, 'PATCH', '/v1/pets/1?x=1', { body: {} }],
    [404, 'PATCH', '/v1/pets/999', { body: {} }],
    [412, 'PATCH', '/v1/pets/1', { body: {}, headers: { 'if-match': '"x"' } }],
    [413, 'PATCH', '/v1/pets/1', { body: LARGE }],
    [415, 'PATCH', '/v1/pets/1', { body: '{}', headers: { 'content-type': 'text/plain' } }],
    [406, 'PATCH', '/v1/pets/1', { body: {}, headers: { accept: 'text/html' } }],
    [400, 'DELETE', '/v1/pets/1', {}],
    [400, 'DELETE', '/v1/pets/x?reason=a', {}],
    [404, 'DELETE', '/v1/pets/999?reason=a', {}],
    [412, 'DELETE', '/v1/pets/1?reason=a', { headers: { 'if-match': '"x"' } }],
    [405, 'PUT', '/v1/pets/1', {}],
    [204, 'DELETE', '/v1/pets/1?reason=a', {}],
  ])('agree on %i for %s %s of an animal with %j', async (status, method, target, options) => {
    expect((await store.client.send(method, target, { key: store.keeper, ...options })).status).toBe(status);
  });
});
