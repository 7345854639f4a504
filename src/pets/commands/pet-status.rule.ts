import { applyDecorators } from '@nestjs/common';
import { IfGiven } from '#libs/validation';
import { IsIn } from 'class-validator';
import { PET_STATUSES } from '../domain/pet.js';

/** Defined beside the other schemas of REST. */
const context = { schema: { $ref: '#/components/schemas/PetStatus' } };

/** The property is a status. */
export function IsPetStatus(): PropertyDecorator {
  return IsIn(PET_STATUSES, { message: `$property must be one of ${PET_STATUSES.join(', ')}`, context });
}

/** The property is a status or undefined; null is refused. */
export function IsOptionalPetStatus(): PropertyDecorator {
  return applyDecorators(
    IfGiven(),
    IsIn(PET_STATUSES, { message: `$property must be one of ${PET_STATUSES.join(', ')}, or be left out`, context }),
  );
}
