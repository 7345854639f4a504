import {
  assertNone,
  cloudEventSchema,
  createRule,
  DEFAULT_LIMIT,
  eventTypeSchema,
  IsPageSize,
  defineSchema,
  type PublicEventCatalog,
  type PublicEventFilter,
  ApiDescription,
  IfGiven,
  IsText,
  IsTime,
  MutuallyExclusiveWith,
  IsWholeNumber,
  parseInt64,
} from '#libs/http';
import { invalidParameter } from '#libs/observability';
import { ValidateBy } from 'class-validator';

export const BATCH_MEDIA_TYPE = 'application/cloudevents-batch+json';
export const STREAM_MEDIA_TYPE = 'text/event-stream';

const MAX_WAIT_MILLISECONDS = 30_000;
const MAX_TYPES = 100;
const MAX_SUBJECT_LENGTH = 100;
const EARLIEST = 'earliest';
const POSITION = 'a position in plain decimal digits from 0 to 9223372036854775807, or earliest';

export const eventsExample = {
  specversion: '1.0',
  id: '42',
  source: 'https://api.adoption.example/v1',
  type: 'pet.added',
  subject: 'pets/17',
  time: '2026-01-01T00:00:00.000Z',
  datacontenttype: 'application/json',
  dataschema: 'https://api.adoption.example/schemas/pet.added/1',
  sequence: '0000000000000000042',
  data: { id: 17, name: 'Rex', categoryId: 7, status: 'available' },
};

export const streamSchema = defineSchema('EventStream', {
  type: 'array',
  description:
    'Events, sent one by one as server-sent events: each has the position as `id`, no `event`, and as `data` the `CloudEvent` on one line. ' +
    'An `event: bookmark` has as its `id` the position up to which no other event matched. Comments keep the connection open.',
  items: cloudEventSchema,
});

export class ReadEventsRequest {
  @IfGiven()
  @IsPageSize()
  @ApiDescription('The maximum number of events of a page. Only for pages.')
  readonly limit?: number;

  @IfGiven()
  @IsTypeList()
  @ApiDescription('Only events of these types, separated by commas, such as `pet.added,pet.withdrawn`.')
  readonly type?: readonly string[];

  @IfGiven()
  @IsText(MAX_SUBJECT_LENGTH)
  @ApiDescription('Only events with exactly this subject, such as `pets/7`.')
  readonly subject?: string;

  @IfGiven()
  @IsPosition()
  @ApiDescription(
    'Only events after this position, the `id` of an event; `earliest` or 0 for all. By default a page begins at the beginning, ' +
      'a stream at the end. On a stream the header `Last-Event-ID` goes before it.',
  )
  readonly after?: string;

  @IfGiven()
  @IsTime()
  @ApiDescription('Only events that were recorded at this moment or later. On a stream the position goes before it, if there is one.')
  readonly since?: Date;

  @IfGiven()
  @IsTime()
  @MutuallyExclusiveWith('timeout')
  @ApiDescription('Only events that were recorded before this moment. For pages that do not wait.')
  readonly before?: Date;

  @IfGiven()
  @IsWholeNumber(0, MAX_WAIT_MILLISECONDS)
  @ApiDescription(`How long an empty page waits for an event, in milliseconds; default 0. Only with \`Accept: ${BATCH_MEDIA_TYPE}\`.`)
  readonly timeout?: number;
}

export interface RequestedPage {
  readonly limit: number;
  readonly after: bigint;
  readonly timeout: number;
}

/** @throws ApplicationError `invalid_parameter` for a `timeout` with JSON, which does not wait. */
export function parsePageRequest(
  { limit = DEFAULT_LIMIT, after = EARLIEST, timeout }: ReadEventsRequest,
  mediaType: string,
): RequestedPage {
  if (timeout !== undefined && mediaType !== BATCH_MEDIA_TYPE) {
    throw invalidParameter('timeout', 'exclusive', `timeout needs the header Accept: ${BATCH_MEDIA_TYPE}; leave it out otherwise`);
  }
  return { limit, after: parsePosition(after), timeout: timeout ?? 0 };
}

/**
 * Returns the position after which a stream begins; undefined for the end of the log.
 * @param lastEventId the header that clients send when they reconnect; an empty one is none (HTML, server-sent events)
 * @throws ApplicationError `invalid_parameter` for a header that is no position, and for parameters of pages
 */
export function parseStreamPosition(
  { limit, timeout, before, after }: ReadEventsRequest,
  lastEventId: string | undefined,
): bigint | undefined {
  const given = Object.entries({ limit, timeout, before }).filter(([, value]) => value !== undefined);
  const message = 'must be omitted: a stream has no pages and does not end by itself';
  assertNone(
    'invalid_parameter',
    given.map(([field]) => ({ field, rule: 'exclusive', message: `${field} ${message}` })),
  );
  if (lastEventId !== undefined && lastEventId !== '') {
    if (!isPosition(lastEventId)) {
      throw invalidParameter('Last-Event-ID', 'position', `The header Last-Event-ID must be ${POSITION}`);
    }
    return parsePosition(lastEventId);
  }
  return after === undefined ? undefined : parsePosition(after);
}

/** @throws ApplicationError `invalid_parameter` that names each unknown type. */
export function parseFilter({ type, subject }: ReadEventsRequest, catalog: PublicEventCatalog): PublicEventFilter {
  const types = type && [...new Set(type)];
  const unknown = (types ?? []).filter((name) => !catalog.find(name));
  if (unknown.length > 0) {
    const known = catalog.types.map(({ as }) => as).join(', ');
    const named = unknown.map((name) => JSON.stringify(name)).join(', ');
    throw invalidParameter('type', 'in', `type must list event types separated by commas, of ${known}; ${named} is none`);
  }
  return { ...(types && { types }), ...(subject !== undefined && { subject }) };
}

function parsePosition(text: string): bigint {
  return text === EARLIEST ? 0n : BigInt(text);
}

function isPosition(text: unknown): boolean {
  return typeof text === 'string' && (text === EARLIEST || (parseInt64(text) ?? -1n) >= 0n);
}

/** The property is a list of names; `parseFilter` tells whether there are such event types. */
function IsTypeList(): PropertyDecorator {
  return createRule({
    name: 'isTypeList',
    schema: { type: 'array', items: eventTypeSchema, minItems: 1, maxItems: MAX_TYPES },
    isValid: (value) => Array.isArray(value) && value.length <= MAX_TYPES,
    expected: `must be 1 to ${MAX_TYPES} event types, separated by commas`,
  });
}

function IsPosition(): PropertyDecorator {
  return ValidateBy(
    { name: 'isPosition', validator: { validate: isPosition, defaultMessage: () => `after must be ${POSITION}` } },
    { context: { schema: { type: 'string', pattern: `^(?:${EARLIEST}|0|[1-9][0-9]{0,18})$`, maxLength: 19 } } },
  );
}
