import { IsIn } from 'class-validator';
import { Column } from 'typeorm';
import { columnTypes, optional } from '#libs/database';
import { ApiDescription, IfGiven, inputNames, IsInt64, IsText, pick } from '#libs/http';
import { PET_STATUSES, type Pet, type PetStatus } from './pet.js';

/**
 * The fields of an animal. The commands that add and change it, its row, imports and what REST shows take them from here.
 * `npm run generate -- field` adds one.
 */
export class PetFields {
  @IsText(255)
  @Column(columnTypes.text)
  @ApiDescription('The name, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates.')
  readonly name!: string;

  @IsInt64()
  @Column(columnTypes.int64)
  @ApiDescription('The category of the animal; any int64, written in digits.')
  readonly categoryId!: bigint;

  @IfGiven()
  @IsIn(PET_STATUSES, {
    message: `$property must be one of ${PET_STATUSES.join(', ')}, or be omitted`,
    context: { schema: { $ref: '#/components/schemas/PetStatus' } },
  })
  @Column(optional(columnTypes.text))
  readonly status?: PetStatus | undefined;
}

/** The members that REST shows of an animal, in the order of the declaration. */
export const PET_MEMBERS = ['id', ...inputNames(PetFields)] as const;

/** Returns what REST shows of an animal. */
export function toPet(pet: Pet): Pet {
  return pick(pet, PET_MEMBERS);
}
