import { Field, ID, ObjectType } from '@nestjs/graphql';
import { DateTimeScalar } from '#libs/graphql-kit';
import type { PetSnapshot } from '../domain/pet-snapshot.js';
import type { PetStatus } from '../domain/pet-status.js';
import { PetStatusType } from './pet-status.type.js';

@ObjectType('Pet', { description: 'An animal of the store, as it is or as it was at the moment asked for.' })
export class PetType {
  @Field(() => ID, { description: 'Identifier, assigned in the order in which animals were added.' })
  readonly id!: string;

  @Field(() => String, { description: "The animal's name." })
  readonly name!: string;

  @Field(() => ID, { description: 'Identifier of the category it belongs to.' })
  readonly categoryId!: string;

  @Field(() => PetStatusType, { nullable: true, description: 'Availability for adoption, null where none was given.' })
  readonly status!: PetStatus | null;

  @Field(() => DateTimeScalar, { description: 'When it was added.' })
  readonly addedAt!: Date;

  /** Its history ends here. */
  readonly asOf?: Date;
}

export function toPetType({ id, name, categoryId, status, addedAt }: PetSnapshot, asOf?: Date): PetType {
  return { id: id.toString(), name, categoryId: categoryId.toString(), status: status ?? null, addedAt, ...(asOf && { asOf }) };
}
