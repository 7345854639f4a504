import { domainModule } from '#libs/domain-modules';
import { registerDeliveriesCommands } from './cli/deliveries.cli.js';
import { registerWebhooksCommands } from './cli/webhooks.cli.js';
import { webhookErrors } from './domain/webhook.errors.js';
import { webhookEvents } from './domain/webhook.events.js';
import { webhooksProjection } from './read-model/webhooks.projection.js';
import { CreateWebhookDeliveries1767226900000 } from './records/create-webhook-deliveries.migration.js';
import { DELIVERIES_TABLE, deliveryRetention } from './records/delivery-records.js';
import { PROGRESS_TABLE } from './records/endpoint-progress.js';
import { PENDING_TABLE } from './records/pending-deliveries.js';
import { CreateWebhookSecrets1767226800000 } from './signing/create-webhook-secrets.migration.js';
import { WEBHOOK_SECRETS, webhookSecretRetention } from './signing/webhook-secrets.js';
import { WebhooksModule, type WebhooksModuleOptions } from './webhooks.module.js';

/** The addresses to which events are sent. */
export const webhooks = domainModule<WebhooksModuleOptions>({
  name: 'webhooks',
  configuredModule: (settings) => WebhooksModule.forRoot(settings),
  events: webhookEvents,
  projections: [webhooksProjection],
  migrations: [CreateWebhookSecrets1767226800000, CreateWebhookDeliveries1767226900000],
  tables: [WEBHOOK_SECRETS, PROGRESS_TABLE, PENDING_TABLE, DELIVERIES_TABLE, 'webhook_delivery_ids'],
  scopes: {
    webhooks: {
      description:
        "webhook endpoints of one's own under `/v1/webhooks`, to which events are sent with the scope `events` too, and all of them over GraphQL",
    },
  },
  errors: webhookErrors,
  retention: [webhookSecretRetention, deliveryRetention],
  commandLine: [registerWebhooksCommands, registerDeliveriesCommands],
  consoleMetrics: ['adoption_webhook_deliveries_total', 'adoption_webhooks_disabled_total', 'adoption_webhook_oldest_undelivered_seconds'],
  documentTag: { description: 'Addresses to which events are sent.' },
});
