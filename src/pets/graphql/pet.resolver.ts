import { QueryBus } from '@nestjs/cqrs';
import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { BatchLoader } from '#libs/graphql-kit';
import { EventType, type LoggedEvent, ReadStreams, toEventType } from '../../event-log/index.js';
import { eventsUntil } from '../domain/pet-snapshot.js';
import { petStream } from '../domain/pet-stream.js';
import { PetType } from './pet.type.js';

/** What of an animal is read only when it is asked for. */
@Resolver(() => PetType)
export class PetResolver {
  private readonly histories: BatchLoader<string, readonly LoggedEvent[]>;

  constructor(queries: QueryBus) {
    this.histories = new BatchLoader(async (streams) => byStream(await queries.execute(new ReadStreams(streams))));
  }

  @ResolveField(() => [EventType], { description: 'What happened to the animal so far, in order.' })
  async history(@Parent() { id, asOf }: PetType, @Context('req') request: object): Promise<readonly EventType[]> {
    const events = (await this.histories.load(request, petStream(BigInt(id)))) ?? [];
    return (asOf ? eventsUntil(events, asOf) : events).map(toEventType);
  }
}

function byStream(events: readonly LoggedEvent[]): ReadonlyMap<string, readonly LoggedEvent[]> {
  const streams = new Map<string, LoggedEvent[]>();
  for (const event of events) {
    const stream = streams.get(event.stream);
    if (stream) stream.push(event);
    else streams.set(event.stream, [event]);
  }
  return streams;
}
