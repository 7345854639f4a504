import { EventStore, ProjectionRebuilder, ReadModels } from '#libs/event-sourcing';
import { orderBody, type AdoptionModel } from './adoption-model.fixture.js';
import { faultsOf, wholeLog } from './order-log.fixture.js';
import { expectPast } from './past.fixture.js';
import type { StoreUnderTest } from './store-under-test.fixture.js';

const OPEN = ['placed', 'approved'];

interface ShownPet {
  readonly id: number;
  readonly status?: string;
}

interface ShownOrder {
  readonly status: string;
}

/** Holds all that a store shows against the model, against itself and against its log, also once its tables are built anew. */
export async function expectAgreement(model: AdoptionModel, store: StoreUnderTest): Promise<void> {
  await expectOrdersOf(model, store);
  await expectAnimalsOf(model, store);
  const pets = await walk<ShownPet>(store, '/v1/pets?limit=100');
  await expectCounts(store, pets);
  const log = await wholeLog(store.app.get(EventStore));
  expect(faultsOf(log)).toEqual([]);
  await expectPast(model, store, log);
  expect(await store.app.get(ReadModels).verify()).toEqual([]);
  for (const projection of ['orders', 'pets']) await store.app.get(ProjectionRebuilder).rebuild(projection);
  await expectOrdersOf(model, store);
  expect(await walk(store, '/v1/pets?limit=100')).toEqual(pets);
  await expectCounts(store, pets);
}

async function expectOrdersOf(model: AdoptionModel, store: StoreUnderTest): Promise<void> {
  for (const caller of ['shop 1', 'shop 2'] as const) {
    expect(await walk(store, '/v1/store/orders?limit=3', caller)).toEqual(model.list(caller, {}).body);
  }
  for (const order of model.orders) {
    const { text } = await store.send({ caller: 'staff', target: `/v1/store/orders/${order.id}` });
    expect(JSON.parse(text)).toEqual(orderBody(order));
  }
}

/** An animal has one open order at the most, from which its status follows. */
async function expectAnimalsOf({ pets }: AdoptionModel, store: StoreUnderTest): Promise<void> {
  for (const { id, status, withdrawn } of pets) {
    const orders = await walk<ShownOrder>(store, `/v1/store/orders?petId=${id}`);
    const open = orders.filter(({ status }) => OPEN.includes(status));
    const query = `{ pet(id: ${id}) { status orders { nodes { status } } } }`;
    const { data } = (await store.send({ caller: 'staff', method: 'POST', target: '/graphql', body: { query } })).json<{ data: unknown }>();
    const nodes = orders.map(({ status }) => ({ status: status.toUpperCase() }));
    const pet = withdrawn ? null : { status: open.length > 0 ? 'PENDING' : (status?.toUpperCase() ?? null), orders: { nodes } };
    expect(open.length).toBeLessThanOrEqual(withdrawn ? 0 : 1);
    expect(data).toEqual({ pet });
  }
}

async function expectCounts(store: StoreUnderTest, pets: readonly ShownPet[]): Promise<void> {
  const inventory = { available: 0, pending: 0, sold: 0, unset: 0 };
  for (const { status = 'unset' } of pets) inventory[status as keyof typeof inventory] += 1;
  expect((await store.send({ caller: 'shop 1', target: '/v1/store/inventory' })).json()).toEqual(inventory);
  const query = '{ inventory { available pending sold unset } }';
  expect((await store.send({ caller: 'staff', method: 'POST', target: '/graphql', body: { query } })).json()).toEqual({
    data: { inventory },
  });
}

/** All that a list holds, page by page. */
async function walk<Item>(store: StoreUnderTest, list: string, caller: 'shop 1' | 'shop 2' | 'staff' = 'staff'): Promise<Item[]> {
  const items: Item[] = [];
  for (let target: string | undefined = list; target !== undefined;) {
    const page = await store.send({ caller, target });
    items.push(...page.json<Item[]>());
    target = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
  }
  return items;
}
