import type { Inventory, NewOrder, Order, OrderCancellation, OrderStatus } from './document.js';
import { int64Text } from './integers.js';
import { pathOf, type AddOptions, type ChangeOptions, type PageOptions, type ReadOptions, type Requests } from './requests.js';

const ORDERS = '/store/orders';

export interface OrderListOptions<Id> extends PageOptions {
  readonly status?: OrderStatus | undefined;
  readonly petId?: Id | undefined;
}

export interface CancelOptions extends ChangeOptions, OrderCancellation {}

/** The orders that the key may see, and what they leave in the store. */
export class Orders<Id> {
  constructor(private readonly requests: Requests<Id>) {}

  /** All orders that are meant, ascending by id. Each iteration begins anew. */
  list({ status, petId, limit, signal }: OrderListOptions<Id> = {}): AsyncIterable<Order<Id>> {
    const pet = petId === undefined ? undefined : int64Text(petId);
    return this.requests.pages({ path: ORDERS, query: { status, petId: pet, limit }, signal });
  }

  /** Orders an animal, once, however often the request has to be sent. */
  place(order: NewOrder<Id>, options?: AddOptions): Promise<Order<Id>> {
    return this.requests.add(ORDERS, order, options);
  }

  /** @throws AdoptionError `not_found` where there is none, or it is another key's */
  get(id: Id, options: ReadOptions & { readonly ifNoneMatch: string }): Promise<Order<Id> | undefined>;
  get(id: Id, options?: ReadOptions & { readonly ifNoneMatch?: undefined }): Promise<Order<Id>>;
  async get(id: Id, options?: ReadOptions): Promise<Order<Id> | undefined> {
    return this.requests.read({ path: pathOf(ORDERS, id), ...options });
  }

  /** Keeps the animal of a placed order, which then no longer expires. */
  approve(id: Id, options?: ChangeOptions): Promise<Order<Id>> {
    return this.move(id, 'approve', options);
  }

  /** Hands over the animal of an approved order. */
  deliver(id: Id, options?: ChangeOptions): Promise<Order<Id>> {
    return this.move(id, 'deliver', options);
  }

  /** Makes the animal of an order that is not delivered available again. */
  cancel(id: Id, { reason, ...options }: CancelOptions = {}): Promise<Order<Id>> {
    return this.move(id, 'cancel', options, { reason });
  }

  /** How many animals have each status. */
  inventory(options: ReadOptions & { readonly ifNoneMatch: string }): Promise<Inventory<Id> | undefined>;
  inventory(options?: ReadOptions & { readonly ifNoneMatch?: undefined }): Promise<Inventory<Id>>;
  inventory(options?: ReadOptions): Promise<Inventory<Id> | undefined> {
    return this.requests.read({ path: '/store/inventory', ...options });
  }

  private async move(id: Id, where: string, options?: ChangeOptions, body: object = {}): Promise<Order<Id>> {
    return this.requests.read({ method: 'POST', path: `${pathOf(ORDERS, id)}/${where}`, body, ...options });
  }
}
