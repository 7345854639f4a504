import { QueryBus } from '@nestjs/cqrs';
import { Args, ArgsType, Context, Field, Int, Parent, registerEnumType, ResolveField, Resolver } from '@nestjs/graphql';
import { invalidParameter } from '#libs/observability';
import type { HistoryPage } from '#libs/event-sourcing';
import { GroupedLoader, NodeType, readPageSize } from '#libs/graphql';
import { type LoggedEvent, ReadHistories } from '../queries/events.query.js';
import { EventType, toEventType } from './events.resolver.js';

const DEFAULT_FIRST = 10;

const HistoryOrder = { OLDEST_FIRST: 'oldest', NEWEST_FIRST: 'newest' } as const satisfies Record<string, HistoryPage['first']>;

registerEnumType(HistoryOrder, {
  name: 'HistoryOrder',
  description: 'Where a history begins.',
  valuesMap: {
    OLDEST_FIRST: { description: 'At the first event.' },
    NEWEST_FIRST: { description: 'At the last event.' },
  },
});

/** The arguments of a field that is a page of a history. */
@ArgsType()
export class HistoryArguments {
  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_FIRST,
    description:
      'The maximum number of events, from 1 to 100. Fewer events mean the end of the history; `version` beside it, if there is one, says how many it has.',
  })
  readonly first?: number | null;

  @Field(() => Int, { nullable: true, description: 'Continue after the event with this `version`, in the same order.' })
  readonly after?: number | null;

  @Field(() => HistoryOrder, { nullable: true, defaultValue: HistoryOrder.OLDEST_FIRST, description: 'Where it begins.' })
  readonly order?: HistoryPage['first'] | null;
}

/** Adds to everything that has a stream its history; the histories of one request are read with one statement. */
@Resolver(() => NodeType)
export class HistoryResolver {
  private readonly loader: GroupedLoader<HistoryPage, string, readonly LoggedEvent[]>;

  constructor(queries: QueryBus) {
    this.loader = new GroupedLoader((streams, page) => queries.execute(new ReadHistories(streams, page)));
  }

  /** @throws ApplicationError `invalid_parameter` for a number out of range */
  @ResolveField(() => [EventType], { description: 'What happened to it so far, in order; a page of it.' })
  async history(
    @Parent() { nodeId, asOf }: NodeType,
    @Args() { first, after, order }: HistoryArguments,
    @Context('req') request: object,
  ): Promise<readonly EventType[]> {
    const page = {
      limit: readPageSize('first', first, DEFAULT_FIRST),
      first: order ?? 'oldest',
      ...(asOf && { until: asOf }),
      ...readAfter(after),
    };
    return ((await this.loader.load(request, nodeId, page)) ?? []).map(toEventType);
  }
}

/** Null counts as not given. */
function readAfter(after: number | null | undefined): Pick<HistoryPage, 'after'> {
  if (after === null || after === undefined) return {};
  if (after >= 1) return { after };
  throw invalidParameter('after', 'wholeNumber', 'after must be the version of an event of the history, from 1');
}
