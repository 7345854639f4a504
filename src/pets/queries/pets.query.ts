import { EventStore, takeUntil, groupByStream, type Page } from '#libs/event-sourcing';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { foldPet, type TimedPetEvent } from '../domain/pet.decider.js';
import { PET_STATUSES, petStream, type PetFilter, type PetSnapshot, type PetStatus } from '../domain/pet.js';
import { PetReader, type PetRange } from '../read-model/pet.reader.js';

/** Finds an animal, with `asOf` as it was at that moment; undefined if there was none. */
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
    if (!asOf) return this.pets.find(id);
    return foldPet(id, takeUntil((await this.eventStore.readStream(petStream(id))) as TimedPetEvent[], asOf));
  }
}

/** Reads a page of animals, ascending by id. Following `next` returns every animal exactly once, even while others are added. */
export class ListPets extends Query<Page<PetSnapshot>> {
  constructor(readonly range: PetRange) {
    super();
  }
}

@QueryHandler(ListPets)
export class ListPetsHandler implements IQueryHandler<ListPets> {
  constructor(private readonly pets: PetReader) {}

  execute({ range }: ListPets): Promise<Page<PetSnapshot>> {
    return this.pets.page(range);
  }
}

/** Finds animals by id with one statement, with `asOf` as they were at that moment. Missing ones are left out. */
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
    const pets = asOf ? await this.asTheyWere(ids, asOf) : await this.pets.findAll(ids);
    return new Map(pets.map((pet) => [pet.id, pet]));
  }

  private async asTheyWere(ids: readonly bigint[], moment: Date): Promise<PetSnapshot[]> {
    const events = (await this.eventStore.readStreams(ids.map(petStream))) as (TimedPetEvent & { readonly stream: string })[];
    const histories = groupByStream(events);
    return ids.flatMap((id) => foldPet(id, takeUntil(histories.get(petStream(id)) ?? [], moment)) ?? []);
  }
}

/** Counts the animals that match a filter, by stored counts. */
export class CountPets extends Query<number> {
  constructor(readonly filter: PetFilter) {
    super();
  }
}

@QueryHandler(CountPets)
export class CountPetsHandler implements IQueryHandler<CountPets> {
  constructor(private readonly pets: PetReader) {}

  execute({ filter }: CountPets): Promise<number> {
    return this.pets.count(filter);
  }
}

export interface PetCount {
  /** Null: animals without a status. */
  readonly status: PetStatus | null;
  readonly count: number;
}

/** Counts the animals of each status and those without one; zeros included. */
export class ListPetCounts extends Query<readonly PetCount[]> {}

@QueryHandler(ListPetCounts)
export class ListPetCountsHandler implements IQueryHandler<ListPetCounts> {
  constructor(private readonly pets: PetReader) {}

  async execute(): Promise<readonly PetCount[]> {
    const counts = await this.pets.countByStatus();
    return [...PET_STATUSES, null].map((status) => ({ status, count: counts.get(status ?? undefined) ?? 0 }));
  }
}
