import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { byStream, EventStore, eventsUntil } from '#libs/event-store';
import { ReadModels } from '#libs/projections';
import { petAfter, type TimedPetEvent } from '../domain/pet-history.js';
import { petStream, type PetSnapshot } from '../domain/pet.js';
import { PetReader } from '../read-model/pet.reader.js';
import { petsProjection } from '../read-model/pets.projection.js';

/** The animals with these ids as they are, or as they were at a moment, with one statement; those that are not or were not there are left out. */
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
    const histories = byStream(events);
    return ids.flatMap((id) => petAfter(id, eventsUntil(histories.get(petStream(id)) ?? [], moment)) ?? []);
  }
}
