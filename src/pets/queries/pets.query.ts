import { EventStore, readPastRows, type Count, type CountRequest, type ListRange, type Page, type Selection } from '#libs/event-sourcing';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/observability';
import { PET_STATUSES, petStream, type PetSnapshot } from '../domain/pet.js';
import { PetReader } from '../read-model/pet.reader.js';
import { petsProjection, type petFilters, type PetFilters } from '../read-model/pets.projection.js';

export { petFilters } from '../read-model/pets.projection.js';

export type PetRange = ListRange<typeof petFilters>;

/** Finds an animal, with `asOf` as it was at that moment; undefined if there was none, or it is withdrawn. */
export class GetPet extends Query<PetSnapshot | undefined> {
  constructor(
    readonly id: bigint,
    readonly asOf?: Date,
  ) {
    super();
  }
}

@QueryHandler(GetPet)
export class GetPetHandler implements IQueryHandler<GetPet> {
  constructor(
    private readonly pets: PetReader,
    private readonly eventStore: EventStore,
  ) {}

  async execute({ id, asOf }: GetPet): Promise<PetSnapshot | undefined> {
    const pet = asOf ? (await readPastRows(this.eventStore, petsProjection, [petStream(id)], asOf)).get(id) : await this.pets.find(id);
    return pet?.isWithdrawn ? undefined : pet;
  }
}

/**
 * Reads a page of animals in the order of their ids, or of the times when they were added. Following `next` returns every animal exactly
 * once, even while others are added.
 */
export class ListPets<Member extends keyof PetSnapshot = keyof PetSnapshot> extends Query<Page<Pick<PetSnapshot, Member | 'id'>>> {
  constructor(readonly range: PetRange & Selection<Member>) {
    super();
  }
}

@QueryHandler(ListPets)
export class ListPetsHandler implements IQueryHandler<ListPets> {
  constructor(private readonly pets: PetReader) {}

  /** Most pages are simple, and are read without a choice of an index. */
  async execute({ range }: ListPets): Promise<Page<PetSnapshot>> {
    const { limit, after, descending, orderBy, select } = range;
    const { ids, ...filters } = range.filters;
    const simple = orderBy === 'time' ? undefined : toSimpleFilter(filters);
    if (!simple || (ids && ids.length > limit)) return this.pets.list(range);
    if (ids) return { items: await this.among(ids, range), next: undefined };
    return this.pets.page({ limit, after, descending, select, isWithdrawn: false, ...simple });
  }

  /** Finds at most a page of animals, each once. */
  private async among(ids: readonly bigint[], { after, descending, filters: { statusIn, categoryIn } }: PetRange): Promise<PetSnapshot[]> {
    const sign = descending ? -1n : 1n;
    return (await this.pets.findPresent([...new Set(ids)]))
      .filter(
        ({ status, categoryId }) => (!statusIn || statusIn.includes(status ?? null)) && (!categoryIn || categoryIn.includes(categoryId)),
      )
      .filter(({ id }) => after === undefined || (id - after) * sign > 0n)
      .sort((one, other) => (one.id < other.id === !descending ? -1 : 1));
  }
}

/** Returns the values that rows must have, if filters say nothing else. */
function toSimpleFilter(filters: PetFilters) {
  const { statusIn, categoryIn, ...others } = filters;
  const isOther = Object.values(others).some((value) => value !== undefined) || (statusIn && categoryIn);
  if (isOther || [statusIn, categoryIn].some((values) => values && values.length !== 1)) return undefined;
  const [status, categoryId] = [statusIn?.[0], categoryIn?.[0]];
  return status === null ? undefined : { status, categoryId };
}

/** Finds animals by id with one statement, with `asOf` as they were at that moment. Omits missing and withdrawn ones. */
export class FindPets extends Query<ReadonlyMap<bigint, PetSnapshot>> {
  constructor(
    readonly ids: readonly bigint[],
    readonly asOf?: Date,
  ) {
    super();
  }
}

@QueryHandler(FindPets)
export class FindPetsHandler implements IQueryHandler<FindPets> {
  constructor(
    private readonly pets: PetReader,
    private readonly eventStore: EventStore,
  ) {}

  async execute({ ids, asOf }: FindPets): Promise<ReadonlyMap<bigint, PetSnapshot>> {
    const past = asOf && (await readPastRows(this.eventStore, petsProjection, ids.map(petStream), asOf));
    const pets = past ? [...past.values()].filter(({ isWithdrawn }) => !isWithdrawn) : await this.pets.findPresent(ids);
    return new Map(pets.map((pet) => [pet.id, pet]));
  }
}

/** Counts the animals on all pages of a range together, exactly. */
export class CountPets extends Query<number> {
  constructor(readonly range: Omit<PetRange, 'limit'>) {
    super();
  }
}

@QueryHandler(CountPets)
export class CountPetsHandler implements IQueryHandler<CountPets> {
  constructor(private readonly pets: PetReader) {}

  async execute({ range }: CountPets): Promise<number> {
    const { statusIn, hasStatus, categoryIn, ...others } = range.filters;
    const isCounted = Object.values(others).every((value) => value === undefined);
    return isCounted ? this.pets.countBy({ statusIn, hasStatus, categoryIn }) : this.pets.total(range);
  }
}

/**
 * Counts the animals that are not withdrawn by status or by category: now, at a moment or over time. A status and the lack of one are listed
 * also if they have no animals.
 */
export class ListPetCounts extends Query<readonly Count[]> {
  constructor(
    readonly by: 'status' | 'category' = 'status',
    readonly request: CountRequest = {},
  ) {
    super();
  }
}

@QueryHandler(ListPetCounts)
export class ListPetCountsHandler implements IQueryHandler<ListPetCounts> {
  constructor(
    private readonly pets: PetReader,
    private readonly clock: Clock,
  ) {}

  async execute({ by, request }: ListPetCounts): Promise<readonly Count[]> {
    const values = by === 'status' ? [...PET_STATUSES, null] : [];
    if (by !== 'status' || Object.values(request).some((value) => value !== undefined && value !== null)) {
      return this.pets.counts.count(by, request, { now: this.clock.now(), values });
    }
    const counts = await this.pets.countByStatus();
    return values.map((value) => ({ value, count: counts.get(value) ?? 0 }));
  }
}

/** How long the animals of a category were with the store until they were adopted. */
export interface AdoptionTime {
  readonly categoryId: string;
  /** How many animals were adopted, the withdrawn ones too. */
  readonly adopted: number;
  readonly medianDays: number;
}

/** Returns the median of the whole days to adoption by category, ascending by category; omits categories without adoptions. */
export class ListAdoptionTimes extends Query<readonly AdoptionTime[]> {}

@QueryHandler(ListAdoptionTimes)
export class ListAdoptionTimesHandler implements IQueryHandler<ListAdoptionTimes> {
  constructor(private readonly pets: PetReader) {}

  async execute(): Promise<readonly AdoptionTime[]> {
    const byCategory = new Map<string, DaysCount[]>();
    for (const [value, count] of await this.pets.counts.now('adoption')) {
      const [categoryId = '', days = ''] = (value ?? '').split('/');
      byCategory.set(categoryId, [...(byCategory.get(categoryId) ?? []), { days: Number(days), count }]);
    }
    return [...byCategory]
      .map(([categoryId, counts]) => ({ categoryId, ...summarize(counts) }))
      .sort((one, other) => (BigInt(one.categoryId) < BigInt(other.categoryId) ? -1 : 1));
  }
}

interface DaysCount {
  readonly days: number;
  readonly count: number;
}

/** The median of an even number is the mean of the two in the middle. */
function summarize(counts: readonly DaysCount[]): Omit<AdoptionTime, 'categoryId'> {
  const adopted = counts.reduce((total, { count }) => total + count, 0);
  const middle = [Math.floor((adopted - 1) / 2), Math.floor(adopted / 2)];
  let [passed, sum] = [0, 0];
  for (const { days, count } of counts.toSorted((one, other) => one.days - other.days)) {
    sum += days * middle.filter((place) => place >= passed && place < passed + count).length;
    passed += count;
  }
  return { adopted, medianDays: sum / 2 };
}
