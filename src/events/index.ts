import { domainModule } from '#libs/http';
import { EventsModule } from './events.module.js';
import { feedErrors, feedSettings } from './streams/open-streams.js';

export { ListEvents, type LoggedEvent } from './queries/events.query.js';

/** The log over GraphQL, and the feed of public events. */
export const events = domainModule({
  // The tag of its operations in the document, and its name in the console.
  name: 'feed',
  settings: feedSettings,
  configuredModule: ({ purpose, settings }) => EventsModule.forRoot(purpose === 'service' ? settings : undefined),
  scopes: { events: { description: 'what happens, under `/v1/events`' } },
  errors: feedErrors,
  documentTag: { title: 'Events', description: 'What happens, as events for other systems.' },
});
