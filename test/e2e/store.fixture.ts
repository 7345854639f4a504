import type { Answer } from './api-client.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { UNLIMITED, type ServiceOptions } from './service.fixture.js';

/** An order as REST gives it. */
export interface OrderBody {
  readonly id: number;
  readonly petId: number;
  readonly status: string;
  readonly version: number;
}

/** A service with a key that orders and one of the store's staff. */
export interface Store extends GraphqlService {
  readonly customer: { readonly id: bigint; readonly token: string };
  /** A key that approves, delivers and changes animals. */
  readonly staff: { readonly id: bigint; readonly token: string };
  /** Adds animals that can be ordered. Returns their ids. */
  addAvailable(count: number): Promise<number[]>;
  /** Places an order of the customer's. */
  order(petId: number, values?: object): Promise<OrderBody>;
  /** Has the staff approve, deliver or cancel an order, which need not succeed. */
  move(orderId: number, move: 'approve' | 'deliver' | 'cancel'): Promise<Answer>;
  /** Has the staff change an animal, which need not succeed. */
  change(petId: number, values: object): Promise<Answer>;
  /** Has the staff withdraw an animal. */
  withdraw(petId: number): Promise<Answer>;
}

export async function openStore(options: ServiceOptions = {}): Promise<Store> {
  const service = await startGraphqlService(options);
  const { client } = service;
  const customer = await service.issueKey({ ...UNLIMITED, name: 'customer', scopes: ['orders'] });
  const staff = await service.issueKey({ ...UNLIMITED, name: 'staff', scopes: ['orders:all', 'pets:write'] });
  const key = staff.token;
  const addOne = async () => {
    const { id } = succeeded(await client.post('/v1/pets', { name: 'Rex', categoryId: 7, status: 'available' })).json<{ id: number }>();
    return id;
  };
  return {
    ...service,
    customer,
    staff,
    addAvailable: (count) => Promise.all(Array.from({ length: count }, addOne)).then((ids) => ids.sort((left, right) => left - right)),
    async order(petId, values = {}) {
      return succeeded(await client.post('/v1/store/orders', { petId, ...values }, { key: customer.token })).json<OrderBody>();
    },
    move: (orderId, move) => client.send('POST', `/v1/store/orders/${orderId}/${move}`, { key }),
    change: (petId, body) => client.send('PATCH', `/v1/pets/${petId}`, { key, body }),
    withdraw: (petId) => client.send('DELETE', `/v1/pets/${petId}?reason=gone`, { key }),
  };
}

function succeeded(answer: Answer): Answer {
  if (answer.status !== 201) throw new Error(answer.text);
  return answer;
}
