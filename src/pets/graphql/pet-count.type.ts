import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { PetStatus } from '../domain/pet-status.js';
import { PetStatusType } from './pet-status.type.js';

@ObjectType('PetCount', { description: 'How many animals have a status.' })
export class PetCountType {
  @Field(() => PetStatusType, { nullable: true, description: 'The status, null for the animals that have none.' })
  readonly status!: PetStatus | null;

  @Field(() => Int, { description: 'How many animals there are of it.' })
  readonly count!: number;
}
