import { defineSchema } from '#libs/openapi';
import { TEXT_PATTERN } from '#libs/validation';
import { PET_STATUSES } from '../domain/pet-status.js';

export const petStatusSchema = defineSchema('PetStatus', {
  type: 'string',
  description: 'Availability for adoption.',
  enum: [...PET_STATUSES],
});

const newPetProperties = {
  name: {
    type: 'string',
    description: 'The name, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates.',
    minLength: 1,
    maxLength: 255,
    pattern: TEXT_PATTERN,
  },
  categoryId: { type: 'integer', format: 'int64', description: 'The category of the animal; any int64, written in digits.' },
  status: petStatusSchema,
};

export const newPetSchema = defineSchema('NewPet', {
  type: 'object',
  description: 'An animal to be added.',
  required: ['name', 'categoryId'],
  additionalProperties: false,
  properties: newPetProperties,
});

export const petSchema = defineSchema('Pet', {
  type: 'object',
  description: 'An animal. The status is left out where none was given.',
  required: ['id', 'name', 'categoryId'],
  additionalProperties: false,
  properties: {
    id: {
      type: 'integer',
      format: 'int64',
      minimum: 1,
      description: 'Assigned by the service when the animal is added; never used again.',
    },
    ...newPetProperties,
  },
});

export const petsSchema = defineSchema('Pets', {
  type: 'array',
  description: 'A page of animals, ascending by id.',
  maxItems: 100,
  items: petSchema,
});

export const petExample = { id: 17, name: 'Rex', categoryId: 7, status: 'available' };
