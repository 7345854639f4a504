import { registerEnumType } from '@nestjs/graphql';
import type { PetStatus } from '../domain/pet-status.js';

/** The names of the statuses in the schema with the values they stand for. */
export const PetStatusType = { AVAILABLE: 'available', PENDING: 'pending', SOLD: 'sold' } as const satisfies Record<string, PetStatus>;

registerEnumType(PetStatusType, {
  name: 'PetStatus',
  description: 'Availability for adoption.',
  valuesMap: {
    AVAILABLE: { description: 'The animal is available for adoption.' },
    PENDING: { description: 'An adoption is pending.' },
    SOLD: { description: 'The animal has been adopted.' },
  },
});
