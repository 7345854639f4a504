import {
  bodyReader,
  MutuallyExclusiveWith,
  LARGEST_LIMIT,
  filteredPageRequest,
  type DescribedBody,
  definePage,
  defineResource,
  defineSchema,
  ApiDescription,
  IfGiven,
  IsInt64List,
  IsText,
  publicResource,
} from '#libs/http';
import { AddPet } from '../commands/add-pet.command.js';
import { ChangePet } from '../commands/change-pet.command.js';
import { toPet } from '../domain/pet-fields.js';
import { PET_STATUSES, PET_CATEGORY } from '../domain/pet.js';
import { petDecider } from '../domain/pet.decider.js';
import { petFilters } from '../queries/pets.query.js';

export class ListPetsRequest extends filteredPageRequest(petFilters) {
  @IfGiven()
  @IsInt64List(LARGEST_LIMIT, 1n)
  @MutuallyExclusiveWith('limit', 'cursor')
  @ApiDescription('The animals with these ids that exist, all in one response. Not with `limit` or `cursor`.')
  readonly ids?: readonly bigint[];

  /** Cursors of this list are older than names of lists, and stay valid. */
  override get list(): string {
    return '';
  }
}

export class WithdrawPetRequest {
  @IsText(1000)
  @ApiDescription('Why it goes. 1 to 1,000 Unicode characters by the rules of a name.', 'moved to another shelter')
  readonly reason?: string;
}

export const petExample = { id: 17, name: 'Rex', categoryId: 7, status: 'available' };

/** The body of a request that adds an animal, and a record of an import. */
export const newPetBody: DescribedBody = {
  type: AddPet,
  schema: 'NewPet',
  description: 'An animal to be added.',
  noun: 'a new animal',
  examples: {
    withStatus: { value: { name: 'Rex', categoryId: 7, status: 'available' } },
    withoutStatus: { value: { name: 'Ana', categoryId: 7 } },
  },
};

/** The body of a request that changes an animal (RFC 7396; no member can be removed). */
export const petChangesBody: DescribedBody = {
  type: ChangePet,
  without: ['id'],
  mediaTypes: ['application/merge-patch+json', 'application/json'],
  schema: 'PetChanges',
  description: 'A change of an animal; omitted members keep their values.',
  noun: 'a change of an animal',
  examples: { status: { value: { status: 'sold' } }, correction: { value: { name: 'Max', categoryId: 8 } } },
};

/** Reads a new animal that does not come over REST. */
export const readNewPet = bodyReader(newPetBody);

defineSchema('PetStatus', { type: 'string', description: 'Availability for adoption.', enum: [...PET_STATUSES] });

export const petSchema = defineResource('Pet', { input: AddPet, description: 'An animal. Without a status if none was given.' });

export const petsSchema = definePage('Pets', petSchema, 'A page of animals.');

/** Data of public events: the animal just after the event; a withdrawn one as last known. */
export const publishedPets = publicResource({
  category: PET_CATEGORY,
  collection: 'pets',
  schema: petSchema,
  example: (type) => (type === 'pet.status_changed' ? { ...petExample, status: 'pending' } : petExample),
  decider: petDecider,
  show: (id, { state }) => (state.kind === 'none' ? undefined : toPet({ id, ...state.details })),
});
