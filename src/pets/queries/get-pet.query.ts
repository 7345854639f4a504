import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventStore, eventsUntil } from '#libs/event-store';
import { ReadModels } from '#libs/projections';
import { petAfter, type TimedPetEvent } from '../domain/pet-history.js';
import { petStream, type PetSnapshot } from '../domain/pet.js';
import { PetReader } from '../read-model/pet.reader.js';
import { petsProjection } from '../read-model/pets.projection.js';

/** The animal with this id as it is, or folded from its events as it was at a moment; undefined where there is or was none. */
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
    if (asOf) return petAfter(id, eventsUntil((await this.eventStore.readStream(petStream(id))) as TimedPetEvent[], asOf));
    await this.readModels.current(petsProjection);
    return this.pets.find(id);
  }
}
