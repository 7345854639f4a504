import type { QueryBus } from '@nestjs/cqrs';
import { ArgsType, Field, Int, registerEnumType } from '@nestjs/graphql';
import { invalidParameter } from '#libs/observability';
import type { HistoryPage } from '#libs/event-sourcing';
import { GroupedLoader, readPageSize } from '#libs/graphql';
import { type LoggedEvent, ReadHistories } from '../queries/events.query.js';
import { toEventType, type EventType } from './events.resolver.js';

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
      'The maximum number of events, from 1 to 100. Fewer events mean the end of the history; `version` beside it says how many it has.',
  })
  readonly first?: number | null;

  @Field(() => Int, { nullable: true, description: 'Continue after the event with this `version`, in the same order.' })
  readonly after?: number | null;

  @Field(() => HistoryOrder, { nullable: true, defaultValue: HistoryOrder.OLDEST_FIRST, description: 'Where it begins.' })
  readonly order?: HistoryPage['first'] | null;
}

/** Loads histories of streams, those of one request with one statement. */
export class StreamHistories {
  private readonly loader: GroupedLoader<HistoryPage, string, readonly LoggedEvent[]>;

  constructor(queries: QueryBus) {
    this.loader = new GroupedLoader((streams, page) => queries.execute(new ReadHistories(streams, page)));
  }

  /**
   * Loads a page of the events of a stream.
   * @param request an object that is the same for all fields of a request
   * @param asOf only the events up to and including this moment
   * @throws ApplicationError `invalid_parameter` for a number out of range
   */
  async of(request: object, stream: string, { first, after, order }: HistoryArguments, asOf?: Date): Promise<readonly EventType[]> {
    const page = {
      limit: readPageSize('first', first, DEFAULT_FIRST),
      first: order ?? 'oldest',
      ...(asOf && { until: asOf }),
      ...readAfter(after),
    };
    return ((await this.loader.load(request, stream, page)) ?? []).map(toEventType);
  }
}

/** Null counts as not given. */
function readAfter(after: number | null | undefined): Pick<HistoryPage, 'after'> {
  if (after === null || after === undefined) return {};
  if (after >= 1) return { after };
  throw invalidParameter('after', 'wholeNumber', 'after must be the version of an event of the history, from 1');
}
