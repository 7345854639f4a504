import { domainModule } from '#libs/http';
import { webhookErrors } from './domain/webhook.errors.js';
import { webhookEvents } from './domain/webhook.events.js';
import { webhooksProjection } from './read-model/webhooks.projection.js';
import { deliveryRetention } from './records/delivery.store.js';
import { webhookSecretRetention } from './records/webhook-secrets.js';
import { webhookMigrations } from './records/webhook-tables.migration.js';
import { webhookSettings } from './webhooks.settings.js';
import { WebhooksModule } from './webhooks.module.js';

/** Webhook endpoints: addresses of API keys to which events are sent. */
export const webhooks = domainModule({
  name: 'webhooks',
  settings: webhookSettings,
  configuredModule: (context) => WebhooksModule.forRoot(context),
  events: webhookEvents,
  projections: [webhooksProjection],
  migrations: webhookMigrations,
  scopes: {
    webhooks: {
      description:
        "webhook endpoints of one's own under `/v1/webhooks`, to which events are sent with the scope `events` too, and all of them over GraphQL",
    },
  },
  errors: webhookErrors,
  retention: [webhookSecretRetention, deliveryRetention],
  documentTag: { title: 'Webhooks', description: 'Addresses to which events are sent.' },
});
