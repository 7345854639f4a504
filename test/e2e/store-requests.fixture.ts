import { EventStore, type RecordedEvent } from '#libs/event-store';
import { TimeoutSchedule } from '#libs/processes';
import type { Answer, RequestOptions } from './api-client.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { UNLIMITED, type ServiceOptions } from './service.fixture.js';

/** An order as REST gives it. */
export interface OrderBody {
  readonly id: number;
  readonly petId: number;
  readonly status: string;
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

/** A service with a key for each part in an adoption. */
export interface Store extends GraphqlService {
  /** Two keys with the scope `orders`. */
  readonly customer: string;
  readonly neighbour: string;
  /** A key with the scope `orders:all`. */
  readonly staff: string;
  /** A key with the scope `pets:write`. */
  readonly keeper: string;
  /** Adds an animal that is available and gives its id. */
  addAvailable(): Promise<number>;
  statusOf(petId: number): Promise<string | undefined>;
  /** Asks for an order with the customer's key. */
  order(body: unknown, options?: RequestOptions): Promise<Answer>;
  /** The order for an animal, or for a new one, placed with the customer's key. */
  place(petId?: number): Promise<OrderBody>;
  /** Moves an order with the key of the staff. */
  move(id: number, move: string, options?: RequestOptions): Promise<Answer>;
  /** An order of the customer for a new animal that has come to this status. */
  orderIn(status: keyof typeof STEPS_TO): Promise<OrderBody>;
  /** What the log has been told meanwhile. */
  recordedBy(doing: () => Promise<unknown>): Promise<RecordedEvent[]>;
}

export async function startStore(options: ServiceOptions = {}): Promise<Store> {
  const service = await startGraphqlService(options);
  const { app, client, clock } = service;
  const issue = async (scope: string) => (await service.issueKey({ ...UNLIMITED, scopes: [scope] })).token;
  const [customer, neighbour, staff, keeper] = [
    await issue('orders'),
    await issue('orders'),
    await issue('orders:all'),
    await issue('pets:write'),
  ];
  const store: Store = {
    ...service,
    customer,
    neighbour,
    staff,
    keeper,
    addAvailable: async () => created(await client.post('/v1/pets', { name: 'Rex', categoryId: 7, status: 'available' })).id,
    statusOf: async (petId) => (await client.get(`/v1/pets/${petId}`)).json<{ status?: string }>().status,
    order: (body, further) => client.post(ORDERS, body, { key: customer, ...further }),
    place: async (petId) => created(await store.order({ petId: petId ?? (await store.addAvailable()) })),
    move: (id, move, further) => client.send('POST', `${ORDERS}/${id}/${move}`, { key: staff, ...further }),
    async orderIn(status) {
      const order = await store.place();
      for (const step of STEPS_TO[status] ?? []) expect((await store.move(order.id, step)).status).toBe(200);
      if (status === 'expired') {
        clock.set(order.expiresAt);
        await app.get(TimeoutSchedule).run();
      }
      return (await client.get(`${ORDERS}/${order.id}`, { key: customer })).json();
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

/** The events as `stream type`, in the order of the log. */
export function told(events: readonly RecordedEvent[]): string[] {
  return events.map(({ stream, type }) => `${stream} ${type}`);
}

function created(answer: Answer): OrderBody {
  if (answer.status !== 201) throw new Error(`Nothing was created: ${answer.text}`);
  return answer.json();
}
