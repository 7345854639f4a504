import { EventStore, type RecordedEvent, TimeoutSchedule } from '#libs/event-sourcing';
import type { Answer, RequestOptions } from './api-client.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { UNLIMITED, type ServiceOptions } from './service.fixture.js';

export interface OrderBody {
  readonly id: number;
  readonly petId: number;
  readonly status: string;
  readonly placedAt: string;
  readonly expiresAt: string;
  readonly version: number;
}

export const ORDERS = '/v1/store/orders';

/** What is done to an order until it has a status; time alone makes it `expired`. */
export const STEPS_TO = {
  placed: [],
  approved: ['approve'],
  delivered: ['approve', 'deliver'],
  cancelled: ['cancel'],
  expired: undefined,
} as const;

export interface Store extends GraphqlService {
  /** Two keys with the scope `orders`. */
  readonly customer: string;
  readonly neighbour: string;
  /** A key with the scope `orders:all`. */
  readonly staff: string;
  /** A key with the scope `pets:write`. */
  readonly keeper: string;
  /** The numbers of the keys that place orders. */
  readonly ids: { readonly customer: bigint; readonly staff: bigint };
  addAvailable(): Promise<number>;
  addSeveral(count: number): Promise<number[]>;
  statusOf(petId: number): Promise<string | undefined>;
  order(body: unknown, options?: RequestOptions): Promise<Answer>;
  place(petId?: number, values?: object): Promise<OrderBody>;
  move(id: number, move: string, options?: RequestOptions): Promise<Answer>;
  change(petId: number, values: object): Promise<Answer>;
  withdraw(petId: number): Promise<Answer>;
  /** An order of the customer for a new animal that has come to this status. */
  toOrderSnapshot(status: keyof typeof STEPS_TO): Promise<OrderBody>;
  /** What the log has been told meanwhile. */
  recordedBy(doing: () => Promise<unknown>): Promise<RecordedEvent[]>;
}

export async function startStore(options: ServiceOptions = {}): Promise<Store> {
  const service = await startGraphqlService(options);
  const { app, client, clock } = service;
  const issue = (scope: string) => service.issueKey({ ...UNLIMITED, scopes: [scope] });
  const [customer, neighbour, staff, keeper] = [
    await issue('orders'),
    await issue('orders'),
    await issue('orders:all'),
    await issue('pets:write'),
  ];
  const store: Store = {
    ...service,
    get app() {
      return service.app;
    },
    customer: customer.token,
    neighbour: neighbour.token,
    staff: staff.token,
    keeper: keeper.token,
    ids: { customer: customer.id, staff: staff.id },
    addAvailable: async () => created(await client.post('/v1/pets', { name: 'Rex', categoryId: 7, status: 'available' })).id,
    addSeveral: async (count) => (await Promise.all(Array.from({ length: count }, store.addAvailable))).sort((left, right) => left - right),
    statusOf: async (petId) => (await client.get(`/v1/pets/${petId}`)).json<{ status?: string }>().status,
    order: (body, further) => client.post(ORDERS, body, { key: customer.token, ...further }),
    place: async (petId, values = {}) => created(await store.order({ petId: petId ?? (await store.addAvailable()), ...values })),
    move: (id, move, further) => client.send('POST', `${ORDERS}/${id}/${move}`, { key: staff.token, ...further }),
    change: (petId, body) => client.send('PATCH', `/v1/pets/${petId}`, { key: keeper.token, body }),
    withdraw: (petId) => client.send('DELETE', `/v1/pets/${petId}?reason=gone`, { key: keeper.token }),
    async toOrderSnapshot(status) {
      const order = await store.place();
      for (const step of STEPS_TO[status] ?? []) expect((await store.move(order.id, step)).status).toBe(200);
      if (status === 'expired') {
        clock.set(order.expiresAt);
        await app.get(TimeoutSchedule).run();
      }
      return (await client.get(`${ORDERS}/${order.id}`, { key: customer.token })).json();
    },
    async recordedBy(doing) {
      const log = app.get(EventStore);
      const after = await log.lastPosition();
      await doing();
      return log.readAll({ after, limit: 1_000 });
    },
  };
  return store;
}

export function told(events: readonly RecordedEvent[]): string[] {
  return events.map(({ stream, type }) => `${stream} ${type}`);
}

function created(answer: Answer): OrderBody {
  if (answer.status !== 201) throw new Error(`Nothing was created: ${answer.text}`);
  return answer.json();
}
