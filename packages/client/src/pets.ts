import type { Animal, AnimalChanges, AnimalStatus, NewAnimal } from './document.js';
import { int64Text } from './integers.js';
import { pathOf, type AddOptions, type ChangeOptions, type PageOptions, type ReadOptions, type Requests } from './requests.js';

const PETS = '/pets';

export interface AnimalListOptions<Id> extends PageOptions {
  readonly status?: AnimalStatus | undefined;
  /** Only those of these ids, 1 to 100 of them; it takes no `limit`. */
  readonly ids?: readonly Id[] | undefined;
}

/** The animals. */
export class Pets<Id> {
  constructor(private readonly requests: Requests<Id>) {}

  /** All animals that are meant, ascending by id, each once also while others are added. Each iteration begins anew. */
  list({ status, ids, limit, signal }: AnimalListOptions<Id> = {}): AsyncIterable<Animal<Id>> {
    return this.requests.pages({ path: PETS, query: { status, ids: ids?.map(int64Text).join(), limit }, signal });
  }

  /** Adds one, once, however often the request has to be sent. */
  add(animal: NewAnimal<Id>, options?: AddOptions): Promise<Animal<Id>> {
    return this.requests.add(PETS, animal, options);
  }

  /** @throws AdoptionError `not_found` where there is none */
  get(id: Id, options: ReadOptions & { readonly ifNoneMatch: string }): Promise<Animal<Id> | undefined>;
  get(id: Id, options?: ReadOptions & { readonly ifNoneMatch?: undefined }): Promise<Animal<Id>>;
  async get(id: Id, options?: ReadOptions): Promise<Animal<Id> | undefined> {
    return this.requests.read({ path: pathOf(PETS, id), ...options });
  }

  /** Corrects it, or sets its status. What is left out of the changes stays. */
  async update(id: Id, changes: AnimalChanges<Id>, options?: ChangeOptions): Promise<Animal<Id>> {
    return this.requests.read({ method: 'PATCH', path: pathOf(PETS, id), body: changes, ...options });
  }

  /**
   * Takes it out of all answers and cancels its open order, whose id is then given.
   * @throws AdoptionError `not_found` also where an answer was lost and the animal withdrawn already
   */
  async withdraw(id: Id, reason: string, options?: ChangeOptions): Promise<{ readonly cancelledOrder: Id | undefined }> {
    const { headers } = await this.requests.send({ method: 'DELETE', path: pathOf(PETS, id), query: { reason }, ...options });
    const order = headers.get('X-Cancelled-Order');
    return { cancelledOrder: order === null ? undefined : this.requests.settings.readId(int64Text(order)) };
  }
}
