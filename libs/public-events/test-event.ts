import { defineSchema } from '#libs/openapi';
import { publicEvent, type DescribedEventType, type PublicEvent } from './cloud-event.js';

/** The type of the message that tries a webhook endpoint. No page and no stream of events has one. */
export const TEST_TYPE = 'webhook.test';

/** Ids of tests begin here. Positions of the log do not come near, so that no receiver takes a test for an event that it has had. */
const FIRST_ID = 9_000_000_000_000_000_000n;
/** How builds before this one wrote the id; such rows may still be there. */
const EARLIER_PREFIX = 'test-';

const testSchema = defineSchema('WebhookTest', {
  type: 'object',
  description: 'The webhook endpoint that is tried.',
  required: ['id'],
  properties: { id: { type: 'integer', format: 'int64', minimum: 1, description: 'The id of the endpoint.' } },
});

/** What the document and the schema route say of tests. */
export const testEventType: Omit<DescribedEventType, 'dataschema'> = {
  as: TEST_TYPE,
  version: 1,
  description: 'An endpoint is tried.',
  resource: { collection: 'webhooks', schema: testSchema, example: () => ({ id: 7 }) },
};

/** The id of the test that a delivery sends. */
export function testEventId(deliveryId: bigint): string {
  return (FIRST_ID + deliveryId).toString();
}

/** Of a catalogue: the type of tests with its address, and where they come from. */
interface TestOrigin {
  readonly test: DescribedEventType;
  readonly source: string;
}

/** The message that tries an endpoint. @param eventId as `testEventId` gives it, or as an earlier build stored it */
export function testEvent(
  { test, source }: TestOrigin,
  webhookId: bigint,
  of: { readonly eventId: string; readonly time: Date },
): PublicEvent {
  const { eventId, time } = of;
  const id = eventId.startsWith(EARLIER_PREFIX) ? testEventId(BigInt(eventId.slice(EARLIER_PREFIX.length))) : eventId;
  return publicEvent(test, source, {
    event: { eventId: id, position: BigInt(id), recordedAt: time, metadata: { actor: 'system' } },
    subject: `${testEventType.resource.collection}/${webhookId}`,
    data: { id: webhookId },
  });
}
