export { backgroundTurn } from './background-turn.js';
export { publishedCategory, PublicEventCatalog, type PublicEventDefinitions } from './public-event-catalog.js';
export { PublicEventFollower, type Following, type NewEvents } from './public-event-follower.js';
export { matchesFilter, PublicEventLog, type PublicEventFilter, type PublicEventRange, type PublicEvents } from './public-event-log.js';
export { cloudEventsSchema, findDataSchema, describeWebhooks, eventTypeSchema } from './public-event-schemas.js';
export { publicResource, TEST_TYPE, testEvent, testEventId, type PublicEvent, type PublicResource } from './public-event.js';
export { PublicEventsModule } from './public-events.module.js';
