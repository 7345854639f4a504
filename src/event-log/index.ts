import { domainModule } from '#libs/domain-modules';
import { EventLogModule } from './event-log.module.js';

export { EventType } from './graphql/event.type.js';
export { HistoryArguments, StreamHistories } from './graphql/stream-histories.js';
export { ListNewestEvents, ReadHistories, type LoggedEvent } from './queries/event-log.query.js';

/** The log of all facts as it may be shown. */
export const eventLog = domainModule({ name: 'event-log', module: EventLogModule });
