import { QueryBus } from '@nestjs/cqrs';
import { Args, ArgsType, Field, Float, ID, Int, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { readId } from '#libs/http';
import {
  ConnectionArguments,
  ConnectionRequest,
  connectionType,
  CountArguments,
  DateTimeScalar,
  enumType,
  EMPTY_PAGE,
  filterType,
  NodeType,
  intersectFilters,
  readFilter,
  ReadsOnly,
} from '#libs/graphql';
import { petStream, type PetSnapshot, type PetStatus } from '../domain/pet.js';
import { CountPets, GetPet, ListAdoptionTimes, ListPetCounts, ListPets, petFilters } from '../queries/pets.query.js';

const PetStatusType = enumType<PetStatus>('PetStatus', 'Availability for adoption.', {
  available: 'The animal is available for adoption.',
  pending: 'An adoption is pending.',
  sold: 'The animal has been adopted.',
});

@ObjectType('Pet', {
  implements: () => [NodeType],
  description: 'An animal of the store, as it is or as it was at the moment asked for.',
})
export class PetType implements NodeType {
  readonly nodeId!: string;

  @Field(() => ID, { description: 'Identifier, assigned in the order in which animals were added.' })
  readonly id!: string;

  @Field(() => String, { description: "The animal's name." })
  readonly name!: string;

  @Field(() => ID, { description: 'Identifier of the category it belongs to.' })
  readonly categoryId!: string;

  @Field(() => PetStatusType, { nullable: true, description: 'Availability for adoption, null if none was given.' })
  readonly status?: PetStatus | undefined;

  @Field(() => DateTimeScalar, { description: 'When it was added.' })
  readonly addedAt!: Date;

  @Field(() => Int, { description: 'How many events its whole history has.' })
  readonly version!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was withdrawn; null: it was not.' })
  readonly withdrawnAt?: Date | undefined;

  @Field(() => String, { nullable: true, description: 'Why it was withdrawn; null: it was not.' })
  readonly withdrawalReason?: string | undefined;

  /** Moment up to which its history and orders are read. */
  readonly asOf?: Date | undefined;
}

export function toPetType(pet: PetSnapshot, asOf?: Date): PetType {
  const { id, categoryId } = pet;
  // Behind a spread each new member takes Node 20 a microsecond.
  return { nodeId: petStream(id), asOf, ...pet, id: id.toString(), categoryId: categoryId.toString() };
}

@ObjectType({ description: 'A page of the animals.' })
class PetConnection extends connectionType(PetType, 'Pet') {}

const PetFilterType = filterType('PetFilter', petFilters, { statusIn: PetStatusType });

@ArgsType()
class PetsArguments extends ConnectionArguments {
  @Field(() => PetFilterType, { nullable: true, description: 'Only animals that match.' })
  readonly filter?: object;

  @Field(() => PetStatusType, {
    nullable: true,
    description: 'Only animals of this status.',
    deprecationReason: 'Use `filter` with `statusIn`.',
  })
  readonly status?: PetStatus;

  @Field(() => ID, { nullable: true, description: 'Only animals of this category.', deprecationReason: 'Use `filter` with `categoryIn`.' })
  readonly categoryId?: string;
}

const PetCountedBy = enumType('PetCountedBy', 'What animals are counted by.', {
  status: 'By their status.',
  category: 'By their category.',
});

@ArgsType()
class PetCountsArguments extends CountArguments {
  @Field(() => PetCountedBy, { defaultValue: 'status', description: 'What animals are counted by.' })
  readonly by!: 'status' | 'category';
}

@ObjectType('PetCount', { description: 'How many animals have a status, or are of a category.' })
class PetCountType {
  @Field(() => PetStatusType, {
    nullable: true,
    description: 'The status, null for the animals that have none, and if they are counted by category.',
  })
  readonly status!: PetStatus | null;

  @Field(() => ID, { nullable: true, description: 'The category, null if they are counted by status.' })
  readonly categoryId!: string | null;

  @Field(() => Int, { description: 'How many animals there are of it.' })
  readonly count!: number;

  @Field(() => String, { nullable: true, description: 'The first UTC day of the period, such as `2026-06-01`; null without periods.' })
  readonly date?: string;
}

@ObjectType('AdoptionTime', { description: 'How long the animals of a category were in the store until they were adopted.' })
class AdoptionTimeType {
  @Field(() => ID, { description: 'The category.' })
  readonly categoryId!: string;

  @Field(() => Int, { description: 'How many of its animals were adopted, those that were withdrawn since too.' })
  readonly adopted!: number;

  @Field(() => Float, { description: 'The median of the whole days from when an animal was added to when it became sold.' })
  readonly medianDays!: number;
}

/** The animals over GraphQL. */
@Resolver()
export class PetsResolver {
  constructor(private readonly queries: QueryBus) {}

  @ReadsOnly('pets')
  @Query(() => PetType, { nullable: true, description: 'One animal; null if it does not exist, or did not at the requested moment.' })
  async pet(
    @Args('id', { type: () => ID, description: 'Identifier of the animal.' }) id: string,
    @Args('asOf', {
      type: () => DateTimeScalar,
      nullable: true,
      description: 'Give the animal as it was at this moment, that moment included. Without it: as it is.',
    })
    asOf?: Date | null,
  ): Promise<PetType | null> {
    const pet = await this.queries.execute(new GetPet(readId('id', id), asOf ?? undefined));
    return pet ? toPetType(pet, asOf ?? undefined) : null;
  }

  @ReadsOnly('pets')
  @Query(() => PetConnection, {
    description: 'The animals, ascending by id, with a filter by time by that time, unless `orderBy` says otherwise.',
  })
  async pets(@Args() { filter, status, categoryId, ...place }: PetsArguments): Promise<PetConnection> {
    const request = new ConnectionRequest('pets', place, { filter, status, categoryId }, { hasTimeOrder: true });
    const filters = intersectFilters(readFilter(petFilters, filter), {
      ...(status && { statusIn: [status] }),
      ...(typeof categoryId === 'string' && { categoryIn: [readId('categoryId', categoryId)] }),
    });
    const page = filters ? await this.queries.execute(new ListPets({ ...request.range, filters })) : EMPTY_PAGE;
    const count = async () => (filters ? this.queries.execute(new CountPets({ filters })) : 0);
    return request.connection(page, { toNode: toPetType, numberOf: ({ id }) => id, count });
  }

  @Query(() => [PetCountType], {
    description: 'How many animals that are not withdrawn have each status, or are of each category: now, at a moment or over time.',
  })
  async petCounts(@Args() { by, ...given }: PetCountsArguments): Promise<readonly PetCountType[]> {
    const counts = await this.queries.execute(new ListPetCounts(by, given));
    return counts.map(({ value, ...count }) => ({
      ...count,
      status: by === 'status' ? (value as PetStatus | null) : null,
      categoryId: by === 'category' ? value : null,
    }));
  }

  @Query(() => [AdoptionTimeType], {
    description: 'The median of the days to adoption by category, ascending by category; without animals that were added as sold.',
  })
  async adoptionTimes(): Promise<readonly AdoptionTimeType[]> {
    return this.queries.execute(new ListAdoptionTimes());
  }
}
