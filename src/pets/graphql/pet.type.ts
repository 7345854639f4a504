import { ArgsType, Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { ConnectionArguments, connectionType, DateTimeScalar } from '#libs/graphql';
import type { PetFilter, PetSnapshot, PetStatus } from '../domain/pet.js';

const PetStatusType = { AVAILABLE: 'available', PENDING: 'pending', SOLD: 'sold' } as const satisfies Record<string, PetStatus>;

registerEnumType(PetStatusType, {
  name: 'PetStatus',
  description: 'Availability for adoption.',
  valuesMap: {
    AVAILABLE: { description: 'The animal is available for adoption.' },
    PENDING: { description: 'An adoption is pending.' },
    SOLD: { description: 'The animal has been adopted.' },
  },
});

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

  /** Moment up to which its history is read. */
  readonly asOf?: Date;
}

export function toPetType({ id, name, categoryId, status, addedAt }: PetSnapshot, asOf?: Date): PetType {
  return { id: id.toString(), name, categoryId: categoryId.toString(), status: status ?? null, addedAt, ...(asOf && { asOf }) };
}

@ObjectType({ description: 'A page of the animals, ascending by id.' })
export class PetConnection extends connectionType(PetType, 'Pet') {
  @Field(() => Int, { description: 'How many animals there are on all pages together.' })
  readonly totalCount?: number;

  readonly filter!: PetFilter;
}

@ArgsType()
export class PetsArguments extends ConnectionArguments {
  @Field(() => PetStatusType, { nullable: true, description: 'Only animals of this status.' })
  readonly status?: PetStatus | null;

  @Field(() => ID, { nullable: true, description: 'Only animals of this category.' })
  readonly categoryId?: string | null;
}

@ObjectType('PetCount', { description: 'How many animals have a status.' })
export class PetCountType {
  @Field(() => PetStatusType, { nullable: true, description: 'The status, null for the animals that have none.' })
  readonly status!: PetStatus | null;

  @Field(() => Int, { description: 'How many animals there are of it.' })
  readonly count!: number;
}
