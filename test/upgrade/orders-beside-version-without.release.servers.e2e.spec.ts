import { until } from '#libs/testing';
import { openTwoBuilds, type Instance, type TwoBuilds } from './two-builds.fixture.js';
import { withoutOrders } from './version-without-orders.fixture.js';

// The first one is that of the demonstration.
const KEY_ID = '2';

describe('an instance of the version before orders, beside one of this version', () => {
  let builds: TwoBuilds;
  let before: Instance;
  let now: Instance;
  beforeAll(async () => {
    builds = await openTwoBuilds({ older: withoutOrders });
    before = await builds.today.start();
    now = await builds.next.start();
    expect(await builds.next.run('cli', 'keys', 'add-scope', KEY_ID, 'orders:all')).toMatchObject({ code: 0 });
    await until(async () => (await now.client.get('/v1/store/orders')).status === 200);
  });
  afterAll(() => builds.remove());

  const add = async (status: string) => {
    const added = await before.client.post('/v1/pets', { name: 'Rex', categoryId: 7, status });
    return added.json<{ id: number }>().id;
  };
  const order = async (petId: number) => {
    const placed = await now.client.post('/v1/store/orders', { petId });
    expect(placed).toMatchObject({ status: 201 });
    return placed.json<{ id: number }>().id;
  };
  const move = async (id: number, to: 'approve' | 'deliver' | 'cancel') =>
    expect(await now.client.post(`/v1/store/orders/${id}/${to}`, {})).toMatchObject({ status: 200 });
  const expectStatus = async (id: number, status: string) => {
    for (const { client } of [before, now]) expect((await client.get(`/v1/pets/${id}`)).json()).toMatchObject({ id, status });
  };

  it('knows no orders, and goes on serving while there are some', async () => {
    const id = await add('available');
    await order(id);
    expect((await before.client.get('/openapi.json')).text).not.toContain('/store/orders');
    const [listed] = (await before.client.get('/v1/pets?status=pending')).json<object[]>();
    expect(listed).toMatchObject({ id });
    expect(await add('sold')).toBe(id + 1);
  });

  it('shows the right status of an animal at once, whatever becomes of its order', async () => {
    const id = await add('available');
    const first = await order(id);
    await expectStatus(id, 'pending');
    await move(first, 'cancel');
    await expectStatus(id, 'available');
    const second = await order(id);
    await move(second, 'approve');
    await move(second, 'deliver');
    await expectStatus(id, 'sold');
  });

  it('can set the status of a reserved animal, which keeps it reserved', async () => {
    const id = await add('available');
    const placed = await order(id);
    expect(await builds.today.run('cli', 'pets', 'set-status', String(id), 'available')).toMatchObject({ code: 0 });
    await expectStatus(id, 'available');
    expect(await now.client.post('/v1/store/orders', { petId: id })).toMatchObject({ status: 409 });
    await move(placed, 'approve');
    await move(placed, 'deliver');
    await expectStatus(id, 'sold');
  });

  it('leaves a log that is what this version has made of it', async () => {
    const { stdout } = await builds.next.run('cli', 'events', 'verify');
    expect(JSON.parse(stdout)).toMatchObject({ problems: [] });
  });
});
