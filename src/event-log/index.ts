export { EventLogModule } from './event-log.module.js';
export { EventType, toEventType } from './graphql/event.type.js';
export { ReadStreams } from './queries/read-streams.query.js';
export type { LoggedEvent } from './queries/logged-event.js';
