import { QueryBus } from '@nestjs/cqrs';
import { Args, Context, ID, Int, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { readId } from '#libs/http';
import { ConnectionRequest, DateTimeScalar, ReadsOnly } from '#libs/graphql';
import { EventType, HistoryArguments, StreamHistories } from '../../events/index.js';
import { petStream, type PetFilter } from '../domain/pet.js';
import { CountPets, ListPetCounts } from '../queries/count-pets.query.js';
import { GetPet, ListPets } from '../queries/pets.query.js';
import { PetConnection, PetCountType, PetsArguments, PetType, toPetType } from './pet.type.js';

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
    return {
      ...request.connection(
        page,
        (pet) => toPetType(pet),
        ({ id }) => id,
      ),
      filter,
    };
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
