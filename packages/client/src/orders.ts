import type { AddOptions, CallOptions, MatchOptions, NoneMatchOptions, Tagged } from './conditions.js';
import type { Inventory, NewOrder, Order, OrderCancellation, OrderStatus } from './document.js';
import { int64Texts, type Moment, type OneOrMore } from './filters.js';
import { buildPath } from './integers.js';
import type { Pages } from './pages.js';
import type { ListOptions, Requests } from './requests.js';

const ORDERS = '/v1/store/orders';

/** Which orders. */
export interface OrderFilters<Id> {
  readonly status?: OneOrMore<OrderStatus> | undefined;
  readonly petId?: OneOrMore<Id> | undefined;
  /** Only those that were placed at this moment or later. */
  readonly placedSince?: Moment | undefined;
  /** Only those that were placed before this moment. */
  readonly placedBefore?: Moment | undefined;
}

export interface OrderListOptions<Id> extends OrderFilters<Id>, ListOptions {}

export interface CancelOptions extends CallOptions, OrderCancellation {}

/** The orders that the key may see, and what they leave in the store. */
export class Orders<Id> {
  readonly #requests: Requests<Id>;

  constructor(requests: Requests<Id>) {
    this.#requests = requests;
  }

  /**
   * All orders that match, ascending by id, with a filter by time by the time when they were placed. Each iteration begins again at the
   * first page.
   */
  list({ signal, ...query }: OrderListOptions<Id> = {}): Pages<Order<Id>> {
    return this.#requests.pages({ path: ORDERS, query: { ...query, petId: int64Texts(query.petId) }, signal });
  }

  /** Counts the orders that match, exactly. */
  async count({ signal, ...query }: OrderFilters<Id> & CallOptions = {}): Promise<number> {
    return this.#requests.count({ path: ORDERS, query: { ...query, petId: int64Texts(query.petId) }, signal });
  }

  /** Orders an animal, once, however often the request has to be sent. */
  place(order: NewOrder<Id>, options?: CallOptions): Promise<Tagged<Order<Id>>>;
  place(order: NewOrder<Id>, options: AddOptions): Promise<Tagged<Order<Id>>>;
  place(order: NewOrder<Id>, options?: CallOptions): Promise<Tagged<Order<Id>>> {
    return this.#requests.add(ORDERS, order, options);
  }

  /** @throws AdoptionError `not_found` if there is none, or it is another key's */
  get(id: Id, options: NoneMatchOptions): Promise<Tagged<Order<Id>> | undefined>;
  get(id: Id, options?: CallOptions): Promise<Tagged<Order<Id>>>;
  get(id: Id, options: MatchOptions): Promise<Tagged<Order<Id>>>;
  async get(id: Id, options?: CallOptions): Promise<Tagged<Order<Id>> | undefined> {
    return this.#requests.read({ path: buildPath(ORDERS, id), ...options });
  }

  /** Keeps the animal of a placed order, which then no longer expires. */
  approve(id: Id, options?: CallOptions): Promise<Tagged<Order<Id>>>;
  approve(id: Id, options: MatchOptions): Promise<Tagged<Order<Id>>>;
  approve(id: Id, options?: CallOptions): Promise<Tagged<Order<Id>>> {
    return this.#move(id, 'approve', options);
  }

  /** Hands over the animal of an approved order. */
  deliver(id: Id, options?: CallOptions): Promise<Tagged<Order<Id>>>;
  deliver(id: Id, options: MatchOptions): Promise<Tagged<Order<Id>>>;
  deliver(id: Id, options?: CallOptions): Promise<Tagged<Order<Id>>> {
    return this.#move(id, 'deliver', options);
  }

  /** Makes the animal of an order that is not delivered available again. */
  cancel(id: Id, options?: CancelOptions): Promise<Tagged<Order<Id>>>;
  cancel(id: Id, options: CancelOptions & MatchOptions): Promise<Tagged<Order<Id>>>;
  cancel(id: Id, { reason, ...options }: CancelOptions = {}): Promise<Tagged<Order<Id>>> {
    return this.#move(id, 'cancel', options, { reason });
  }

  /** How many animals have each status. */
  inventory(options: NoneMatchOptions): Promise<Tagged<Inventory<Id>> | undefined>;
  inventory(options?: CallOptions): Promise<Tagged<Inventory<Id>>>;
  inventory(options: MatchOptions): Promise<Tagged<Inventory<Id>>>;
  inventory(options?: CallOptions): Promise<Tagged<Inventory<Id>> | undefined> {
    return this.#requests.read({ path: '/v1/store/inventory', ...options });
  }

  async #move(id: Id, where: string, options?: CallOptions, body: object = {}): Promise<Tagged<Order<Id>>> {
    return this.#requests.read({ method: 'POST', path: `${buildPath(ORDERS, id)}/${where}`, body, ...options });
  }
}
