import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { READ_CONNECTION } from '#libs/database';
import { EventRegistry } from '#libs/event-store';
import { ProjectionCatalog } from '#libs/projections';
import { AddPetHandler } from './commands/add-pet.command.js';
import { CorrectPetHandler } from './commands/correct-pet.command.js';
import { SetPetStatusHandler } from './commands/set-pet-status.command.js';
import { WithdrawPetHandler } from './commands/withdraw-pet.command.js';
import { petEventDefinitions } from './domain/pet.events.js';
import { ImportPetsHandler } from './import/import-pets.command.js';
import { GetPetHandler } from './queries/get-pet.query.js';
import { ListPetsHandler } from './queries/list-pets.query.js';
import { PetEntity } from './read-model/pet.entity.js';
import { petsProjection } from './read-model/pets.projection.js';
import { PetsController } from './rest/pets.controller.js';

/** The animals: their events, the table that answers reads, and REST. */
@Module({
  imports: [TypeOrmModule.forFeature([PetEntity], READ_CONNECTION)],
  controllers: [PetsController],
  providers: [AddPetHandler, SetPetStatusHandler, CorrectPetHandler, WithdrawPetHandler, ImportPetsHandler, ListPetsHandler, GetPetHandler],
})
export class PetsModule {
  constructor(registry: EventRegistry, projections: ProjectionCatalog) {
    registry.register(...petEventDefinitions);
    projections.register(petsProjection);
  }
}
