import { AdoptionError } from './adoption-error.js';
import { rememberEtag, type AddOptions, type CallOptions, type MatchOptions, type NoneMatchOptions, type Tagged } from './conditions.js';
import type { Animal, AnimalChanges, AnimalStatus, NewAnimal } from './document.js';
import { int64Texts, type Moment, type OneOrMore } from './filters.js';
import { int64Text, buildPath } from './integers.js';
import type { Pages } from './pages.js';
import type { ListOptions, Requests } from './requests.js';

const PETS = '/v1/pets';

/** Which animals. */
export interface AnimalFilters<Id> {
  /** `unset` stands for animals without a status. */
  readonly status?: OneOrMore<AnimalStatus | 'unset'> | undefined;
  readonly categoryId?: OneOrMore<Id> | undefined;
  /** Only those whose name contains this text of at least 2 characters, in upper or lower case. */
  readonly name?: string | undefined;
  /** Only those that were added at this moment or later. */
  readonly addedSince?: Moment | undefined;
  /** Only those that were added before this moment. */
  readonly addedBefore?: Moment | undefined;
}

export interface AnimalListOptions<Id> extends AnimalFilters<Id>, ListOptions {
  /** Only those of these ids, 1 to 100 of them; it takes no `limit`. */
  readonly ids?: readonly Id[] | undefined;
}

export interface Withdrawal<Id> {
  /** The id of the order that was cancelled with it. */
  readonly cancelledOrder: Id | undefined;
}

/** The animals. */
export class Pets<Id> {
  readonly #requests: Requests<Id>;

  constructor(requests: Requests<Id>) {
    this.#requests = requests;
  }

  /**
   * All animals that match, each once also while others are added: ascending by id, by the time when they were added with a filter by it.
   * Each iteration begins again at the first page.
   */
  list({ signal, ...query }: AnimalListOptions<Id> = {}): Pages<Animal<Id>> {
    const { ids, categoryId } = query;
    return this.#requests.pages({ path: PETS, query: { ...query, ids: int64Texts(ids), categoryId: int64Texts(categoryId) }, signal });
  }

  /** Counts the animals that match, exactly. */
  async count({ signal, ...query }: AnimalFilters<Id> & CallOptions = {}): Promise<number> {
    return this.#requests.count({ path: PETS, query: { ...query, categoryId: int64Texts(query.categoryId) }, signal });
  }

  /** Adds one, once, however often the request has to be sent. */
  add(animal: NewAnimal<Id>, options?: CallOptions): Promise<Animal<Id>>;
  add(animal: NewAnimal<Id>, options: AddOptions): Promise<Animal<Id>>;
  add(animal: NewAnimal<Id>, options?: CallOptions): Promise<Animal<Id>> {
    return this.#requests.add(PETS, animal, options);
  }

  /** Reads one with its entity tag. @throws AdoptionError `not_found` if there is none, with `ifMatch` `precondition_failed` */
  get(id: Id, options: NoneMatchOptions): Promise<Tagged<Animal<Id>> | undefined>;
  get(id: Id, options?: CallOptions): Promise<Tagged<Animal<Id>>>;
  get(id: Id, options: MatchOptions): Promise<Tagged<Animal<Id>>>;
  async get(id: Id, options?: CallOptions): Promise<Tagged<Animal<Id>> | undefined> {
    const ids = int64Text(id);
    // The entity tag of a list of ids with one animal is that of the animal.
    const call = { path: PETS, query: { ids }, ...options };
    const { body, headers } = await this.#requests.send<readonly Animal<Id>[] | undefined>(call);
    const [animal] = body ?? [];
    if (animal) rememberEtag(animal, headers);
    else if (body) throw new AdoptionError({ status: 404, code: 'not_found', message: `There is no animal with the id ${ids}.`, headers });
    return animal;
  }

  /** Corrects it, or sets its status. Omitted members keep their values. */
  update(id: Id, changes: AnimalChanges<Id>, options?: CallOptions): Promise<Tagged<Animal<Id>>>;
  update(id: Id, changes: AnimalChanges<Id>, options: MatchOptions): Promise<Tagged<Animal<Id>>>;
  async update(id: Id, changes: AnimalChanges<Id>, options?: CallOptions): Promise<Tagged<Animal<Id>>> {
    return this.#requests.read({ method: 'PATCH', path: buildPath(PETS, id), body: changes, ...options });
  }

  /**
   * Takes it out of all answers and cancels its open order, whose id is then given.
   * @throws AdoptionError `not_found` even if the animal was withdrawn by an attempt whose response was lost
   */
  withdraw(id: Id, reason: string, options?: CallOptions): Promise<Withdrawal<Id>>;
  withdraw(id: Id, reason: string, options: MatchOptions): Promise<Withdrawal<Id>>;
  async withdraw(id: Id, reason: string, options?: CallOptions): Promise<Withdrawal<Id>> {
    const { headers } = await this.#requests.send({ method: 'DELETE', path: buildPath(PETS, id), query: { reason }, ...options });
    const order = headers.get('X-Cancelled-Order');
    return { cancelledOrder: order === null ? undefined : this.#requests.readId(int64Text(order)) };
  }
}
