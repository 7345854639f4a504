import { domainModule } from '#libs/http';
import { petErrors } from './domain/pet.errors.js';
import { petEvents } from './domain/pet.events.js';
import { importMigrations, importRowsRetention } from './import/import-progress.js';
import { PetsModule } from './pets.module.js';
import { publishedPets } from './rest/pet.request.js';
import { petsProjection } from './read-model/pets.projection.js';

export type { PetSnapshot, PetStatus } from './domain/pet.js';
export type { PetEvent } from './domain/pet.events.js';
export { PetsModule } from './pets.module.js';
export { PetReservations, type PetChange } from './commands/pet-reservations.js';
export { PetType, toPetType } from './graphql/pets.resolver.js';
export { FindPets, ListPetCounts } from './queries/pets.query.js';

/** The animals up for adoption. */
export const pets = domainModule({
  name: 'pets',
  module: PetsModule,
  events: petEvents,
  publishes: [publishedPets],
  projections: [petsProjection],
  migrations: importMigrations,
  scopes: {
    pets: { description: 'reading and adding under `/v1/pets`', isDefault: true },
    'pets:write': { description: 'changing and withdrawing animals under `/v1/pets`' },
  },
  errors: petErrors,
  retention: [importRowsRetention],
  documentTag: { title: 'Animals', description: 'Animals up for adoption.' },
});
