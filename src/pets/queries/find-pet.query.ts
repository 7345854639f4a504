import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { READ_CONNECTION } from '#libs/database';
import { EventStore } from '#libs/event-store';
import { Repository } from 'typeorm';
import { petStream } from '../domain/pet-stream.js';
import { petAsOf, type PetSnapshot, type TimedPetEvent } from '../domain/pet-snapshot.js';
import { PetEntity, petSnapshotOf } from '../read-model/pet.entity.js';

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
    @InjectRepository(PetEntity, READ_CONNECTION) private readonly pets: Repository<PetEntity>,
    private readonly eventStore: EventStore,
  ) {}

  async execute({ id, asOf }: FindPet): Promise<PetSnapshot | undefined> {
    if (asOf) return petAsOf(id, (await this.eventStore.readStream(petStream(id))) as TimedPetEvent[], asOf);
    const row = await this.pets.findOneBy({ id });
    return row ? petSnapshotOf(row) : undefined;
  }
}
