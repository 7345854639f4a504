import { QueryBus } from '@nestjs/cqrs';
import { Args, Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ApiKeyType } from '../../auth/index.js';
import { EventType } from './events.resolver.js';
import { HistoryArguments, StreamHistories } from './stream-histories.js';

/** Adds its history to an API key, whose module stands below this one. */
@Resolver(() => ApiKeyType)
export class ApiKeyHistoryResolver {
  private readonly histories: StreamHistories;

  constructor(queries: QueryBus) {
    this.histories = new StreamHistories(queries);
  }

  @ResolveField(() => [EventType], { description: 'A page of the events of the key, in order.' })
  async history(
    @Parent() { nodeId }: ApiKeyType,
    @Args() page: HistoryArguments,
    @Context('req') request: object,
  ): Promise<readonly EventType[]> {
    return this.histories.of(request, nodeId, page);
  }
}
