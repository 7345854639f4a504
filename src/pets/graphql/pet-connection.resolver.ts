import { QueryBus } from '@nestjs/cqrs';
import { Int, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { CountPets } from '../queries/count-pets.query.js';
import { PetConnection } from './pet-connection.type.js';

/** What of a page of animals is read only when it is asked for. */
@Resolver(() => PetConnection)
export class PetConnectionResolver {
  constructor(private readonly queries: QueryBus) {}

  @ResolveField(() => Int)
  async totalCount(@Parent() { filter }: PetConnection): Promise<number> {
    return this.queries.execute(new CountPets(filter));
  }
}
