/** The rules of animals and their orders once more, said as plainly as they can be: what a store should answer, and what it should hold. */

export type Caller = 'shop 1' | 'shop 2' | 'staff';
export type PetStatus = 'available' | 'pending' | 'sold';
export type OrderStatus = 'placed' | 'approved' | 'delivered' | 'cancelled' | 'expired';
export type Move = 'approve' | 'deliver' | 'cancel';
/** What an If-Match names: a tag that holds, the tag of the order as it was placed, no tag that holds, or nothing that is a list of tags. */
export type Precondition = 'none' | 'met' | 'as placed' | 'unmet' | 'malformed';

export interface ModelPet {
  readonly id: number;
  name: string;
  status: PetStatus | undefined;
  withdrawn: boolean;
}

export interface ModelOrder {
  readonly id: number;
  readonly pet: ModelPet;
  readonly placedBy: Caller;
  readonly note: string | undefined;
  readonly placedAt: number;
  readonly expiresAt: number;
  wasApproved?: boolean;
  status: OrderStatus;
  version: number;
  /** The entity tag that it had when it was placed. */
  firstTag: string;
}

/** What an answer should be; a header or body that is left out should not be there. */
export interface ExpectedAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly location?: string;
  readonly replayed?: 'true';
  readonly cancelledOrder?: string;
}

/** The ids that were given last; the next ones follow them without a gap. */
export interface LastIds {
  pet: number;
  order: number;
}

const NEXT: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: ['approved', 'cancelled', 'expired'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
  expired: [],
};
const MOVES = {
  approve: { to: 'approved', refusal: 'order_not_placed' },
  deliver: { to: 'delivered', refusal: 'order_not_approved' },
  cancel: { to: 'cancelled', refusal: 'order_not_open' },
} as const;

/** A store with the animals and orders of one run. Each method gives the answer to a request and changes what it changes. */
export class AdoptionModel {
  readonly pets: ModelPet[] = [];
  readonly orders: ModelOrder[] = [];
  private readonly placements = new Map<string, { readonly request: string; readonly answer: ExpectedAnswer }>();

  constructor(
    public now: number,
    private readonly reservation: number,
    private readonly lastIds: LastIds,
  ) {}

  add(name: string, status: PetStatus | undefined): ExpectedAnswer {
    const pet = { id: (this.lastIds.pet += 1), name, status, withdrawn: false };
    this.pets.push(pet);
    return { status: 201, body: petBody(pet), location: `/v1/pets?ids=${pet.id}` };
  }

  place(
    caller: Caller,
    pet: ModelPet,
    { key, note }: { readonly key: string | undefined; readonly note: string | undefined },
  ): ExpectedAnswer {
    const request = JSON.stringify([pet.id, note]);
    const earlier = this.placements.get(`${caller} ${key}`);
    if (key !== undefined && earlier) {
      return earlier.request === request ? { ...earlier.answer, replayed: 'true' } : refusal(422, 'idempotency_key_reused');
    }
    if (pet.withdrawn) return petNotFound(pet);
    this.lapse(pet);
    if (pet.status !== 'available') return refusal(409, 'pet_not_available');
    const expiresAt = this.now + this.reservation;
    const id = (this.lastIds.order += 1);
    const order: ModelOrder = {
      id,
      pet,
      placedBy: caller,
      note,
      placedAt: this.now,
      expiresAt,
      status: 'placed',
      version: 1,
      firstTag: '',
    };
    this.orders.push(order);
    pet.status = 'pending';
    const answer = { status: 201, body: orderBody(order), location: `/v1/store/orders/${id}` };
    if (key !== undefined) this.placements.set(`${caller} ${key}`, { request, answer });
    return answer;
  }

  move(caller: Caller, move: Move, order: ModelOrder, precondition: Precondition): ExpectedAnswer {
    if (move !== 'cancel' && caller !== 'staff') return refusal(403, 'insufficient_scope');
    if (precondition === 'malformed') return { status: 400, body: expect.objectContaining({ status: 400, code: 'invalid_parameter' }) };
    if (!canSee(caller, order)) return orderNotFound(order);
    const isUnmet = precondition === 'unmet' || (precondition === 'as placed' && order.version !== 1);
    if (isUnmet) return refusal(412, 'precondition_failed');
    const { to, refusal: code } = MOVES[move];
    const status = this.isOverdue(order) ? 'expired' : order.status;
    if (status !== to) {
      if (!NEXT[status].includes(to)) return refusal(409, code, `order ${order.id} is ${[status, ...NEXT[status]].join('\\b.*')}`);
      become(order, to);
    }
    return { status: 200, body: orderBody(order) };
  }

  change(caller: Caller, pet: ModelPet, { name, status }: { readonly name?: string; readonly status?: PetStatus }): ExpectedAnswer {
    if (caller !== 'staff') return refusal(403, 'insufficient_scope');
    if (pet.withdrawn) return petNotFound(pet);
    if (status !== undefined) this.lapse(pet);
    if (status !== undefined && status !== pet.status && this.openOrderOf(pet)) return refusal(409, 'pet_has_open_order');
    pet.status = status ?? pet.status;
    pet.name = name ?? pet.name;
    return { status: 200, body: petBody(pet) };
  }

  withdraw(caller: Caller, pet: ModelPet): ExpectedAnswer {
    if (caller !== 'staff') return refusal(403, 'insufficient_scope');
    if (pet.withdrawn) return petNotFound(pet);
    this.lapse(pet);
    const order = this.openOrderOf(pet);
    if (order) become(order, 'cancelled');
    pet.withdrawn = true;
    return { status: 204, ...(order && { cancelledOrder: String(order.id) }) };
  }

  getPet(pet: ModelPet): ExpectedAnswer {
    return pet.withdrawn ? petNotFound(pet) : { status: 200, body: petBody(pet) };
  }

  getOrder(caller: Caller, order: ModelOrder): ExpectedAnswer {
    return canSee(caller, order) ? { status: 200, body: orderBody(order) } : orderNotFound(order);
  }

  list(
    caller: Caller,
    { pet, status }: { readonly pet?: ModelPet | undefined; readonly status?: OrderStatus | undefined },
  ): ExpectedAnswer {
    const wanted = (order: ModelOrder) =>
      canSee(caller, order) && (!pet || order.pet === pet) && (status === undefined || order.status === status);
    return { status: 200, body: this.orders.filter(wanted).map(orderBody) };
  }

  /** Every order whose time has passed says so. */
  expire(): void {
    for (const order of this.orders) if (this.isOverdue(order)) become(order, 'expired');
  }

  private lapse(pet: ModelPet): void {
    const order = this.openOrderOf(pet);
    if (order && this.isOverdue(order)) become(order, 'expired');
  }

  private openOrderOf(pet: ModelPet): ModelOrder | undefined {
    return this.orders.find((order) => order.pet === pet && NEXT[order.status].length > 0);
  }

  private isOverdue({ status, expiresAt }: ModelOrder): boolean {
    return status === 'placed' && this.now >= expiresAt;
  }
}

function become(order: ModelOrder, status: OrderStatus): void {
  order.status = status;
  order.version += 1;
  if (status === 'approved') order.wasApproved = true;
  if (status === 'delivered') order.pet.status = 'sold';
  else if (NEXT[status].length === 0) order.pet.status = 'available';
}

function canSee(caller: Caller, { placedBy }: ModelOrder): boolean {
  return caller === 'staff' || caller === placedBy;
}

function petBody({ id, name, status }: ModelPet): object {
  return { id, name, categoryId: 7, ...(status && { status }) };
}

export function orderBody({ id, pet, status, placedAt, expiresAt, wasApproved, version, note }: ModelOrder): object {
  const expiry = wasApproved ? {} : { expiresAt: new Date(expiresAt).toISOString() };
  const times = { placedAt: new Date(placedAt).toISOString(), ...expiry };
  return { id, petId: pet.id, quantity: 1, status, ...times, version, ...(note !== undefined && { note }) };
}

function petNotFound({ id }: ModelPet): ExpectedAnswer {
  return refusal(404, 'not_found', `animal with the id ${id}\\b`);
}

function orderNotFound({ id }: ModelOrder): ExpectedAnswer {
  return refusal(404, 'not_found', `order with the id ${id}\\b`);
}

function refusal(status: number, code: string, message = ''): ExpectedAnswer {
  return { status, body: { status, code, message: expect.stringMatching(message) } };
}
