import { domainModule } from '#libs/domain-modules';
import { EventLogModule } from './event-log.module.js';

export { EventType } from './graphql/event.type.js';
export { StreamHistories } from './graphql/stream-histories.js';

/** The log of all facts as it may be shown. */
export const eventLog = domainModule({ name: 'event-log', module: EventLogModule });
