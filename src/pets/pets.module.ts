import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AddPetHandler } from './commands/add-pet.command.js';
import { ChangePetHandler, WithdrawPetHandler } from './commands/change-pet.command.js';
import { PetReservations } from './commands/pet-reservations.js';
import { PetsResolver } from './graphql/pets.resolver.js';
import { ImportPetsHandler } from './import/import-pets.command.js';
import { ImportProgress } from './import/import-progress.js';
import { ImportedRow } from './import/import.entity.js';
import {
  CountPetsHandler,
  FindPetsHandler,
  GetPetHandler,
  ListAdoptionTimesHandler,
  ListPetCountsHandler,
  ListPetsHandler,
} from './queries/pets.query.js';
import { PetReader } from './read-model/pet.reader.js';
import { PetsController } from './rest/pets.controller.js';

const commandHandlers = [AddPetHandler, ChangePetHandler, WithdrawPetHandler, ImportPetsHandler];
const queryHandlers = [ListPetsHandler, GetPetHandler, FindPetsHandler, CountPetsHandler, ListPetCountsHandler, ListAdoptionTimesHandler];

/** The animals over REST and GraphQL. */
@Module({
  imports: [TypeOrmModule.forFeature([ImportedRow])],
  controllers: [PetsController],
  providers: [ImportProgress, PetReader, PetReservations, ...commandHandlers, ...queryHandlers, PetsResolver],
  exports: [PetReservations],
})
export class PetsModule {}
