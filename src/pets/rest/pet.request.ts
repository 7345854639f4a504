import { bodyReader, PageRequest, type DescribedBody } from '#libs/api-kit';
import { definePage, defineSchema } from '#libs/openapi';
import { Describes, IfGiven, schemaOf } from '#libs/validation';
import { AddPet } from '../commands/add-pet.command.js';
import { IsPetStatus } from '../commands/pet-status.rule.js';
import { PET_STATUSES, type PetStatus } from '../domain/pet.js';

/** A page of the animals, of one status perhaps. */
export class ListPetsRequest extends PageRequest {
  @IfGiven()
  @IsPetStatus()
  @Describes('Only animals of this availability.')
  readonly status?: PetStatus;
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

/** Reads such a body where it comes by another way than REST. */
export const readNewPet = bodyReader(newPetBody);

defineSchema('PetStatus', { type: 'string', description: 'Availability for adoption.', enum: [...PET_STATUSES] });

export const petSchema = defineSchema('Pet', {
  type: 'object',
  description: 'An animal. The status is left out where none was given.',
  required: ['id', ...schemaOf(AddPet).required],
  additionalProperties: false,
  properties: {
    id: {
      type: 'integer',
      format: 'int64',
      minimum: 1,
      description: 'Assigned by the service when the animal is added; never used again.',
    },
    ...schemaOf(AddPet).properties,
  },
});

export const petsSchema = definePage('Pets', petSchema, 'A page of animals, ascending by id.');
