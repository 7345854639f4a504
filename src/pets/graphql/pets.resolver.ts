import { QueryBus } from '@nestjs/cqrs';
import {
  Args,
  ArgsType,
  Context,
  Field,
  ID,
  Int,
  ObjectType,
  Parent,
  Query,
  registerEnumType,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { readId } from '#libs/http';
import { ConnectionArguments, ConnectionRequest, connectionType, DateTimeScalar, ReadsOnly } from '#libs/graphql';
import { EventType, HistoryArguments, StreamHistories } from '../../events/index.js';
import { petStream, type PetFilter, type PetSnapshot, type PetStatus } from '../domain/pet.js';
import { CountPets, GetPet, ListPetCounts, ListPets } from '../queries/pets.query.js';

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
  readonly status?: PetStatus;

  @Field(() => DateTimeScalar, { description: 'When it was added.' })
  readonly addedAt!: Date;

  /** Moment up to which its history is read. */
  readonly asOf?: Date;
}

export function toPetType({ id, categoryId, ...pet }: PetSnapshot, asOf?: Date): PetType {
  return { ...pet, id: id.toString(), categoryId: categoryId.toString(), ...(asOf && { asOf }) };
}

@ObjectType({ description: 'A page of the animals, ascending by id.' })
class PetConnection extends connectionType(PetType, 'Pet') {
  @Field(() => Int, { description: 'How many animals there are on all pages together.' })
  readonly totalCount?: number;

  readonly filter!: PetFilter;
}

@ArgsType()
class PetsArguments extends ConnectionArguments {
  @Field(() => PetStatusType, { nullable: true, description: 'Only animals of this status.' })
  readonly status?: PetStatus | null;

  @Field(() => ID, { nullable: true, description: 'Only animals of this category.' })
  readonly categoryId?: string | null;
}

@ObjectType('PetCount', { description: 'How many animals have a status.' })
class PetCountType {
  @Field(() => PetStatusType, { nullable: true, description: 'The status, null for the animals that have none.' })
  readonly status!: PetStatus | null;

  @Field(() => Int, { description: 'How many animals there are of it.' })
  readonly count!: number;
}

/** The animals over GraphQL. */
@Resolver()
export class PetsResolver {
  constructor(private readonly queries: QueryBus) {}

  @ReadsOnly('pets')
  @Query(() => PetType, { nullable: true, description: 'One animal; null where there is none, or was none at the moment asked for.' })
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
  @Query(() => PetConnection, { description: 'The animals, ascending by id.' })
  async pets(@Args() { status, categoryId, ...place }: PetsArguments): Promise<PetConnection> {
    const filter: PetFilter = {
      ...(status && { status }),
      ...(typeof categoryId === 'string' && { categoryId: readId('categoryId', categoryId) }),
    };
    const request = new ConnectionRequest('pets', place, filter);
    const page = await this.queries.execute(new ListPets(request.range));
    const connection = request.connection(page, toPetType, ({ id }) => id);
    return { ...connection, filter };
  }

  @ReadsOnly('pets')
  @Query(() => [PetCountType], { description: 'How many animals have each status, and how many have none.' })
  async petCounts(): Promise<readonly PetCountType[]> {
    return this.queries.execute(new ListPetCounts());
  }
}

/** Fields of a page that are read only if requested. */
@Resolver(() => PetConnection)
export class PetConnectionResolver {
  constructor(private readonly queries: QueryBus) {}

  @ResolveField(() => Int)
  async totalCount(@Parent() { filter }: PetConnection): Promise<number> {
    return this.queries.execute(new CountPets(filter));
  }
}

/** Fields of an animal that are read only if requested. */
@Resolver(() => PetType)
export class PetResolver {
  private readonly histories: StreamHistories;

  constructor(queries: QueryBus) {
    this.histories = new StreamHistories(queries);
  }

  @ResolveField(() => [EventType], { description: 'What happened to the animal so far, in order; a page of it.' })
  async history(
    @Parent() { id, asOf }: PetType,
    @Args() page: HistoryArguments,
    @Context('req') request: object,
  ): Promise<readonly EventType[]> {
    return this.histories.of(request, petStream(BigInt(id)), page, asOf);
  }
}
