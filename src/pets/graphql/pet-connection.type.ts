import { Field, Int, ObjectType } from '@nestjs/graphql';
import { connectionOf } from '#libs/graphql-kit';
import type { PetFilter } from '../domain/pet-filter.js';
import { PetType } from './pet.type.js';

@ObjectType({ description: 'A page of the animals, ascending by id.' })
export class PetConnection extends connectionOf(PetType, 'Pet') {
  @Field(() => Int, { description: 'How many animals there are on all pages together.' })
  readonly totalCount?: number;

  /** What the list was asked for. */
  readonly filter!: PetFilter;
}
