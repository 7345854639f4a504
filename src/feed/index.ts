import { domainModule } from '#libs/domain-modules';
import { feedErrors } from './domain/feed.errors.js';
import { FeedModule, type FeedModuleOptions } from './feed.module.js';

interface FeedSettings extends FeedModuleOptions {
  readonly purpose: 'service' | 'cli';
}

/** What happens, told to others. */
export const feed = domainModule<FeedSettings>({
  name: 'feed',
  configuredModule: (settings) => (settings.purpose === 'service' ? FeedModule.forRoot(settings) : undefined),
  scopes: { events: { description: 'what happens, under `/v1/events`' } },
  errors: feedErrors,
  consoleMetrics: ['adoption_feed_streams', 'adoption_feed_lag_positions'],
  documentTag: { description: 'What happens, as events for other systems.' },
});
