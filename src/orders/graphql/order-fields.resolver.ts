import { QueryBus } from '@nestjs/cqrs';
import { Args, Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { GroupedLoader, ReadsOnly } from '#libs/graphql-kit';
import { EventType, HistoryArguments, StreamHistories } from '../../events/index.js';
import { FindPets, PetType, toPetType, type PetSnapshot } from '../../pets/index.js';
import { orderStream } from '../domain/order.js';
import { OrderType } from './order.type.js';

/** What of an order is read only when it is asked for. */
@Resolver(() => OrderType)
export class OrderFieldsResolver {
  private readonly pets: GroupedLoader<{ readonly asOf?: Date }, bigint, PetSnapshot>;
  private readonly histories: StreamHistories;

  constructor(queries: QueryBus) {
    this.pets = new GroupedLoader((ids, { asOf }) => queries.execute(new FindPets(ids, asOf)));
    this.histories = new StreamHistories(queries);
  }

  @ReadsOnly('pets')
  @ResolveField(() => PetType, { nullable: true, description: 'The animal; null once it is withdrawn.' })
  async pet(@Parent() { petId, asOf }: OrderType, @Context('req') request: object): Promise<PetType | null> {
    const pet = await this.pets.load(request, petId, asOf ? { asOf } : {});
    return pet ? toPetType(pet, asOf) : null;
  }

  @ResolveField(() => [EventType], { description: 'What happened to the order so far, in order; a page of it.' })
  async history(
    @Parent() { id, asOf }: OrderType,
    @Args() page: HistoryArguments,
    @Context('req') request: object,
  ): Promise<readonly EventType[]> {
    return this.histories.of(request, orderStream(BigInt(id)), page, asOf);
  }
}
