import type { PathItemObject, ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { definePage, defineSchema, standaloneSchema, timeSchema } from '../openapi/components.js';
import { testEventId, toPublicEvent, type DescribedEventType } from './public-event.js';
import type { PublicEventCatalog } from './public-event-catalog.js';

/** A public type: subject, dot, event. */
export const eventTypeSchema = { type: 'string', pattern: '^[a-z0-9_-]+\\.[a-z0-9_]+$', maxLength: 100 } as const satisfies SchemaObject;

const EXAMPLE_POSITION = '42';

const attributes: Record<string, SchemaObject> = {
  specversion: { type: 'string', description: 'The version of CloudEvents.', enum: ['1.0'] },
  id: {
    type: 'string',
    pattern: '^[1-9][0-9]{0,18}$',
    maxLength: 19,
    description: 'Its place in the log: ascending, with gaps, never given twice.',
  },
  source: {
    type: 'string',
    format: 'uri',
    maxLength: 2_048,
    description: 'The deployment that it comes from, under which no two events have one id.',
  },
  subject: {
    type: 'string',
    pattern: '^[a-z-]+/[1-9][0-9]*$',
    maxLength: 100,
    description: 'The subject of the event, as a path such as `pets/7`.',
  },
  time: { ...timeSchema, description: 'When it was recorded, to the millisecond, in UTC.' },
  datacontenttype: { type: 'string', description: 'What `data` is.', enum: ['application/json'] },
  dataschema: { type: 'string', format: 'uri', maxLength: 2_048, description: 'The address of the JSON schema of `data`.' },
  sequence: {
    type: 'string',
    pattern: '^[0-9]{19}$',
    maxLength: 19,
    description: 'The id with zeros before it, so that it sorts as a text.',
  },
};

const attributesSchema = defineSchema('CloudEventAttributes', {
  type: 'object',
  description: 'What every event has, as CloudEvents 1.0 has it in JSON.',
  required: Object.keys(attributes),
  properties: attributes,
});

/** An event of any type. Its schema is made from the catalog, by `describeEvents`. */
const CLOUD_EVENT = 'CloudEvent';
export const cloudEventSchema = referenceSchema(CLOUD_EVENT);

export const cloudEventsSchema = definePage('CloudEvents', cloudEventSchema, 'Events, ascending by id.');

function referenceSchema(name: string): ReferenceObject {
  return { $ref: `#/components/schemas/${name}` };
}

function toExample(type: DescribedEventType, source: string, id: string): unknown {
  const data = type.resource.example(type.as);
  const event = { eventId: '', position: BigInt(id), recordedAt: new Date('2026-01-01'), metadata: { actor: 'system' } };
  return JSON.parse(toPublicEvent(type, source, { event, subject: `${type.resource.collection}/${data.id}`, data }).json);
}

/**
 * Describes the published events for the OpenAPI document: a schema for each type, `CloudEvent` as the union of them, and the requests that
 * send them and the test message to webhook endpoints.
 */
export function describeEvents({ types, test, source }: PublicEventCatalog): {
  readonly schemas: Readonly<Record<string, SchemaObject>>;
  readonly webhooks: Readonly<Record<string, PathItemObject>>;
} {
  const aboutEvents = { note: '`data` is what REST showed just after the event.', exampleId: EXAMPLE_POSITION };
  const aboutTests = { note: 'It is in no page and no stream of events, and its `id` is no position.', exampleId: testEventId(1n) };
  return {
    schemas: {
      [CLOUD_EVENT]: unionSchema(types),
      ...Object.fromEntries([...types, test].map((type) => [schemaName(type), eventSchema(type)])),
    },
    webhooks: {
      ...Object.fromEntries(types.map((type) => [type.as, { post: describeWebhook(type, source, aboutEvents) }])),
      [test.as]: { post: describeWebhook(test, source, aboutTests) },
    },
  };
}

function unionSchema(types: readonly DescribedEventType[]): SchemaObject {
  const references = types.map((type) => [type.as, referenceSchema(schemaName(type))] as const);
  return {
    description: 'What has happened; `type` says which event it is. Further types, and further members of `data`, may come.',
    oneOf: references.map(([, reference]) => reference),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(references.map(([type, { $ref }]) => [type, $ref])) },
  };
}

function eventSchema({ as, description, resource }: DescribedEventType): SchemaObject {
  return {
    type: 'object',
    description,
    allOf: [attributesSchema],
    required: ['type', 'data'],
    properties: {
      type: { type: 'string', description: `What has happened, \`${as}\`.`, enum: [as] },
      data: resource.schema,
    },
  };
}

/** The name of the schema of a type, such as `PetAddedEvent`. */
function schemaName({ as }: DescribedEventType): string {
  return `${as.replaceAll(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

function describeWebhook(
  type: DescribedEventType,
  source: string,
  { note, exampleId }: { readonly note: string; readonly exampleId: string },
): NonNullable<PathItemObject['post']> {
  const name = schemaName(type);
  const content = { schema: referenceSchema(name), examples: { event: { value: toExample(type, source, exampleId) } } };
  return {
    operationId: `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    summary: type.description,
    description: `Version ${type.version} of the form. ${note}`,
    security: [],
    ...{ 'x-stability': 'experimental' },
    requestBody: { required: true, content: { 'application/cloudevents+json': content } },
    responses: { '2XX': { description: 'It has arrived and is not sent again.' } },
  };
}

/** Returns the self-contained JSON schema of a type's data in a version; undefined if there is none. */
export function findDataSchema(catalog: PublicEventCatalog, name: string, version: string): object | undefined {
  const type = name === catalog.test.as ? catalog.test : catalog.find(name);
  if (!type || version !== `${type.version}`) return undefined;
  const { as, dataschema, description, resource } = type;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: dataschema,
    title: `The data of ${as}`,
    description,
    ...standaloneSchema(resource.schema),
  };
}
