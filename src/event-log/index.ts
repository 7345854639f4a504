import { domainModule } from '#libs/domain-modules';
import { EventLogModule } from './event-log.module.js';

export { EventType } from './graphql/event.type.js';
export { HistoryArguments, StreamHistories } from './graphql/stream-histories.js';
export { ListNewestEvents } from './queries/list-newest-events.query.js';
export type { LoggedEvent } from './queries/logged-event.js';
export { ReadHistories } from './queries/read-histories.query.js';

/** The log of all facts as it may be shown. */
export const eventLog = domainModule({ name: 'event-log', module: EventLogModule });
