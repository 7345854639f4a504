import { Controller, Get, Res, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  ResponseMediaType,
  linkNext,
  Operation,
  ReadHeader,
  ReadQuery,
  takeResponse,
  cloudEventsSchema,
  PublicEventCatalog,
  type PublicEvents,
  findDataSchema,
} from '#libs/http';
import { ApplicationError } from '#libs/observability';
import { CurrentCaller, RequiresScope, type Caller, Public } from '../../auth/index.js';
import { ReadEvents, type ReadEventsRange } from '../queries/events.query.js';
import { STREAM_HEADERS } from '../streams/event-stream.js';
import { Feed, type SubscriptionRequest } from '../streams/feed.js';
import {
  BATCH_MEDIA_TYPE,
  eventsExample,
  parseFilter,
  parsePageRequest,
  ReadEventsRequest,
  STREAM_MEDIA_TYPE,
  parseStreamPosition,
  streamSchema,
  type RequestedPage,
} from './events.request.js';

const LAST_EVENT_ID =
  'The position of the last event that the client received; the stream continues after it. Takes precedence over `after`.';

/** The public events over REST. */
@ApiTags('feed')
@RequiresScope('events')
@Controller('events')
export class EventsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly catalog: PublicEventCatalog,
    private readonly feed: Feed,
  ) {}

  @Get()
  @Operation({
    clientSample: 'for await (const event of client.events.list()) console.log(event);',
    summary: 'Read events',
    description:
      'The events that leave the service, ascending by id: a page of them; a page that waits for the first one ' +
      `(\`${BATCH_MEDIA_TYPE}\` with \`timeout\`); or all existing and future events, as server-sent events (\`${STREAM_MEDIA_TYPE}\`).`,
    answer: {
      tagged: true,
      description: 'The events.',
      schema: cloudEventsSchema,
      examples: { page: { value: [eventsExample] }, empty: { value: [] } },
      representations: {
        [BATCH_MEDIA_TYPE]: { schema: cloudEventsSchema, examples: { page: { value: [eventsExample] }, empty: { value: [] } } },
        [STREAM_MEDIA_TYPE]: { schema: streamSchema },
      },
      headers: {
        Link: 'The next page, with rel="next", while there is more (RFC 8288).',
        'X-Accel-Buffering': 'Only on a stream: `no`, so that proxies do not buffer it.',
      },
    },
    refuses: [410],
  })
  async readEvents(
    @ReadQuery(ReadEventsRequest) request: ReadEventsRequest,
    @ReadHeader('Last-Event-ID', LAST_EVENT_ID) lastEventId: string | undefined,
    @ResponseMediaType() mediaType: string,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept'].flat().join(', '));
    const subscribing = { reply, caller, filter: parseFilter(request, this.catalog) };
    if (mediaType === STREAM_MEDIA_TYPE) {
      const after = await this.findStart(parseStreamPosition(request, lastEventId), request.since);
      if (reply.request.method === 'HEAD') takeResponse(reply, STREAM_HEADERS).end();
      else this.feed.open(subscribing, after);
      return undefined;
    }
    const asked = parsePageRequest(request, mediaType);
    const { events, hasMore, scannedUpTo } = await this.readPage({ ...asked, since: request.since, before: request.before }, subscribing);
    const { type, subject, since, before } = request;
    if (hasMore) linkNext(reply, { limit: asked.limit, type, subject, since, before, after: scannedUpTo });
    void reply.type(`${mediaType}; charset=utf-8`);
    return `[${events.map(({ json }) => json).join(',')}]`;
  }

  /**
   * Returns the position after which a stream begins, before the response does; undefined for the end of the log.
   * @throws LogRewoundError if the log no longer has the position
   */
  private async findStart(position: bigint | undefined, since: Date | undefined): Promise<bigint | undefined> {
    if (position === undefined && !since) return undefined;
    const range = position === undefined ? { after: 0n, since } : { after: position };
    const { after } = await this.queries.execute(new ReadEvents({ ...range, limit: 1 }));
    return after;
  }

  private async readPage({ timeout, ...page }: RequestedPage & RecordedWithin, subscribing: SubscriptionRequest): Promise<PublicEvents> {
    const read = () => this.queries.execute(new ReadEvents({ ...page, ...subscribing.filter }));
    const found = await read();
    if (found.events.length > 0 || timeout === 0 || subscribing.reply.request.method === 'HEAD') return found;
    await this.feed.waitFor(subscribing, { after: found.scannedUpTo, timeout });
    return read();
  }
}

type RecordedWithin = Pick<ReadEventsRange, 'since' | 'before'>;

/** Serves the schemas that events name as `dataschema`, without authentication. Their paths are not under `/v1`. */
@Public()
@Controller('schemas')
export class SchemasController {
  constructor(private readonly catalog: PublicEventCatalog) {}

  @Get(':type/:version')
  schema(@Param('type') type: string, @Param('version') version: string, @Res({ passthrough: true }) reply: FastifyReply): string {
    const schema = findDataSchema(this.catalog, type, version);
    if (!schema) throw new ApplicationError('not_found', 'There is no such schema; an event names that of its data as dataschema.');
    // Only descriptions of a version ever change.
    reply.type('application/schema+json').header('cache-control', 'public, max-age=3600');
    return JSON.stringify(schema);
  }
}
