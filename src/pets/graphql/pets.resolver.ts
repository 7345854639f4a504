import { QueryBus } from '@nestjs/cqrs';
import { Args, ID, Int, Query, Resolver } from '@nestjs/graphql';
import {
  AFTER_DESCRIPTION,
  DateTimeScalar,
  DEFAULT_FIRST,
  FIRST_DESCRIPTION,
  ListCursor,
  readAfter,
  readFirst,
  readId,
  ReadsOnly,
  toConnection,
} from '#libs/graphql-kit';
import type { PetFilter } from '../domain/pet-filter.js';
import type { PetStatus } from '../domain/pet-status.js';
import { BrowsePets } from '../queries/browse-pets.query.js';
import { FindPet } from '../queries/find-pet.query.js';
import { ListPetCounts } from '../queries/list-pet-counts.query.js';
import { PetConnection } from './pet-connection.type.js';
import { PetCountType } from './pet-count.type.js';
import { PetStatusType } from './pet-status.type.js';
import { PetType, toPetType } from './pet.type.js';

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
    const pet = await this.queries.execute(new FindPet(readId('id', id), asOf ?? undefined));
    return pet ? toPetType(pet, asOf ?? undefined) : null;
  }

  @ReadsOnly('pets')
  @Query(() => PetConnection, { description: 'The animals, ascending by id.' })
  async pets(
    @Args('first', { type: () => Int, nullable: true, defaultValue: DEFAULT_FIRST, description: FIRST_DESCRIPTION }) first: number | null,
    @Args('after', { type: () => String, nullable: true, description: AFTER_DESCRIPTION }) after?: string | null,
    @Args('status', { type: () => PetStatusType, nullable: true, description: 'Only animals of this status.' }) status?: PetStatus | null,
    @Args('categoryId', { type: () => ID, nullable: true, description: 'Only animals of this category.' }) categoryId?: string | null,
  ): Promise<PetConnection> {
    const filter: PetFilter = {
      ...(status && { status }),
      ...(typeof categoryId === 'string' && { categoryId: readId('categoryId', categoryId) }),
    };
    const cursor = new ListCursor('pets', { status: filter.status, categoryId: filter.categoryId?.toString() });
    const page = { limit: readFirst(first), ...readAfter(cursor, after), ...filter };
    const { pets, hasNext } = await this.queries.execute(new BrowsePets(page));
    const items = pets.map((pet) => ({ id: pet.id, node: toPetType(pet) }));
    return { ...toConnection({ items, hasNextPage: hasNext, hasPreviousPage: page.after !== undefined }, cursor), filter };
  }

  @ReadsOnly('pets')
  @Query(() => [PetCountType], { description: 'How many animals have each status, and how many have none.' })
  async petCounts(): Promise<readonly PetCountType[]> {
    return this.queries.execute(new ListPetCounts());
  }
}
