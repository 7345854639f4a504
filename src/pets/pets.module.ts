import { Module } from '@nestjs/common';
import { EventRegistry } from '#libs/event-store';
import { ProjectionCatalog } from '#libs/projections';
import { AddPetHandler } from './commands/add-pet.command.js';
import { CorrectPetHandler } from './commands/correct-pet.command.js';
import { SetPetStatusHandler } from './commands/set-pet-status.command.js';
import { WithdrawPetHandler } from './commands/withdraw-pet.command.js';
import { petEventDefinitions } from './domain/pet.events.js';
import { ImportPetsHandler } from './import/import-pets.command.js';
import { PetConnectionResolver } from './graphql/pet-connection.resolver.js';
import { PetResolver } from './graphql/pet.resolver.js';
import { PetsResolver } from './graphql/pets.resolver.js';
import { BrowsePetsHandler } from './queries/browse-pets.query.js';
import { CountPetsHandler } from './queries/count-pets.query.js';
import { FindPetHandler } from './queries/find-pet.query.js';
import { GetPetHandler } from './queries/get-pet.query.js';
import { ListPetCountsHandler } from './queries/list-pet-counts.query.js';
import { ListPetsHandler } from './queries/list-pets.query.js';
import { PetReader } from './read-model/pet.reader.js';
import { petsProjection } from './read-model/pets.projection.js';
import { PetsController } from './rest/pets.controller.js';

const commandHandlers = [AddPetHandler, SetPetStatusHandler, CorrectPetHandler, WithdrawPetHandler, ImportPetsHandler];
const queryHandlers = [ListPetsHandler, GetPetHandler, FindPetHandler, BrowsePetsHandler, CountPetsHandler, ListPetCountsHandler];
const resolvers = [PetsResolver, PetResolver, PetConnectionResolver];

/** The animals: their events, the tables that answer reads, REST and GraphQL. */
@Module({
  controllers: [PetsController],
  providers: [PetReader, ...commandHandlers, ...queryHandlers, ...resolvers],
})
export class PetsModule {
  constructor(registry: EventRegistry, projections: ProjectionCatalog) {
    registry.register(...petEventDefinitions);
    projections.register(petsProjection);
  }
}
