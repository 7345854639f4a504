import { domainModule } from '#libs/domain-modules';
import { EventLogModule } from './event-log.module.js';

export { EventType, toEventType } from './graphql/event.type.js';
export { ReadStreams } from './queries/read-streams.query.js';
export type { LoggedEvent } from './queries/logged-event.js';

/** The log of all facts as it may be shown. */
export const eventLog = domainModule({ name: 'event-log', module: EventLogModule });
