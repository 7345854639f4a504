import { EventStore, takeUntil, groupByStream, ReadModels, toPage, type Page } from '#libs/event-sourcing';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { foldPet, type TimedPetEvent } from '../domain/pet.decider.js';
import { petStream, type PetSnapshot } from '../domain/pet.js';
import { PetReader, type PetRange } from '../read-model/pet.reader.js';
import { petsProjection } from '../read-model/pets.projection.js';

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
    private readonly readModels: ReadModels,
    private readonly eventStore: EventStore,
  ) {}

  async execute({ id, asOf }: GetPet): Promise<PetSnapshot | undefined> {
    if (asOf) return foldPet(id, takeUntil((await this.eventStore.readStream(petStream(id))) as TimedPetEvent[], asOf));
    await this.readModels.current(petsProjection);
    return this.pets.find(id);
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
  constructor(
    private readonly pets: PetReader,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ range }: ListPets): Promise<Page<PetSnapshot>> {
    await this.readModels.current(petsProjection);
    return toPage(
      range,
      (further) => this.pets.page(further),
      ({ id }) => id,
    );
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
    private readonly readModels: ReadModels,
    private readonly eventStore: EventStore,
  ) {}

  async execute({ ids, asOf }: FindPets): Promise<ReadonlyMap<bigint, PetSnapshot>> {
    const pets = asOf ? await this.asTheyWere(ids, asOf) : await this.asTheyAre(ids);
    return new Map(pets.map((pet) => [pet.id, pet]));
  }

  private async asTheyAre(ids: readonly bigint[]): Promise<PetSnapshot[]> {
    await this.readModels.current(petsProjection);
    return this.pets.findAll(ids);
  }

  private async asTheyWere(ids: readonly bigint[], moment: Date): Promise<PetSnapshot[]> {
    const events = (await this.eventStore.readStreams(ids.map(petStream))) as (TimedPetEvent & { readonly stream: string })[];
    const histories = groupByStream(events);
    return ids.flatMap((id) => foldPet(id, takeUntil(histories.get(petStream(id)) ?? [], moment)) ?? []);
  }
}
