export type { PublicEvent } from './cloud-event.js';
export { categoryOf, PublicEventCatalog, type PublicEventDefinitions, type PublicEventType } from './public-event-catalog.js';
export { PublicEventFollower, type Following, type NewEvents } from './public-event-follower.js';
export { matchesFilter, PublicEventLog, type PublicEventFilter, type PublicEventRange, type PublicEvents } from './public-event-log.js';
export { cloudEventsSchema, dataSchemaOf, describedWebhooks, eventTypeSchema } from './public-event-schemas.js';
export { PublicEventsModule } from './public-events.module.js';
export { publicResource, type PublicResource } from './public-resource.js';
export { TEST_TYPE, testEvent, testEventId } from './test-event.js';
