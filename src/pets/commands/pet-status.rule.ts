import { applyDecorators } from '@nestjs/common';
import { IfGiven } from '#libs/http';
import { IsIn } from 'class-validator';
import { PET_STATUSES } from '../domain/pet.js';

const context = { schema: { $ref: '#/components/schemas/PetStatus' } };

/** Requires a status. */
export function IsPetStatus(): PropertyDecorator {
  return IsIn(PET_STATUSES, { message: `$property must be one of ${PET_STATUSES.join(', ')}`, context });
}

/** Requires a status or undefined; null is invalid. */
export function IsOptionalPetStatus(): PropertyDecorator {
  return applyDecorators(
    IfGiven(),
    IsIn(PET_STATUSES, { message: `$property must be one of ${PET_STATUSES.join(', ')}, or be left out`, context }),
  );
}
