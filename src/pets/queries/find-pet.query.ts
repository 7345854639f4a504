import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventStore } from '#libs/event-store';
import { ReadModels } from '#libs/projections';
import { petStream } from '../domain/pet-stream.js';
import { petAsOf, type PetSnapshot, type TimedPetEvent } from '../domain/pet-snapshot.js';
import { PetReader } from '../read-model/pet.reader.js';
import { petsProjection } from '../read-model/pets.projection.js';

/** The animal with this id as it is, or folded from its events as it was at a moment; undefined where there is or was none. */
export class FindPet extends Query<PetSnapshot | undefined> {
  constructor(
    readonly id: bigint,
    readonly asOf?: Date,
  ) {
    super();
  }
}

@QueryHandler(FindPet)
export class FindPetHandler implements IQueryHandler<FindPet> {
  constructor(
    private readonly pets: PetReader,
    private readonly readModels: ReadModels,
    private readonly eventStore: EventStore,
  ) {}

  async execute({ id, asOf }: FindPet): Promise<PetSnapshot | undefined> {
    if (asOf) return petAsOf(id, (await this.eventStore.readStream(petStream(id))) as TimedPetEvent[], asOf);
    await this.readModels.current(petsProjection);
    return this.pets.find(id);
  }
}
