import { Module, type DynamicModule } from '@nestjs/common';
import { OutgoingHttp } from '#libs/http';
import { ChangeWebhookHandler } from './commands/change-webhook.command.js';
import { RegisterWebhookHandler } from './commands/register-webhook.command.js';
import { ReplayEventsHandler, SendDeliveryHandler } from './commands/send-events.command.js';
import { WebhookDecisions } from './commands/webhook-decisions.js';
import { WebhookInputCheck } from './commands/webhook-values.rule.js';
import { DeliveryProcess } from './delivery/delivery-process.js';
import { DeliveryWriter } from './delivery/delivery-writer.js';
import { DeliveryDependencies } from './delivery/endpoint-worker.js';
import { Sender } from './delivery/sender.js';
import { WebhookResolver, WebhooksResolver } from './graphql/webhooks.resolver.js';
import {
  CountDeliveriesHandler,
  CountWebhooksHandler,
  GetWebhookHandler,
  ListDeliveriesHandler,
  ListWebhooksHandler,
} from './queries/webhooks.query.js';
import { WebhookReader } from './read-model/webhook.reader.js';
import { DeliveryStore } from './records/delivery.store.js';
import { EndpointProgress } from './records/endpoint-progress.js';
import { WebhookSecrets } from './records/webhook-secrets.js';
import { WebhookDeliveriesController } from './rest/webhook-deliveries.controller.js';
import { WebhookOwnerHook, WebhookSendingHook } from './rest/webhook-owner.hook.js';
import { WebhooksController } from './rest/webhooks.controller.js';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from './webhooks.settings.js';
import { WebhookMetrics } from './webhooks.metrics.js';

const commandHandlers = [RegisterWebhookHandler, ChangeWebhookHandler, SendDeliveryHandler, ReplayEventsHandler];
const queryHandlers = [GetWebhookHandler, ListWebhooksHandler, CountWebhooksHandler, ListDeliveriesHandler, CountDeliveriesHandler];
const resolvers = [WebhooksResolver, WebhookResolver];
const records = [WebhookReader, DeliveryStore, EndpointProgress, WebhookSecrets];
const delivery = [WebhookMetrics, DeliveryWriter, Sender, DeliveryDependencies, DeliveryProcess];
const checks = [WebhookInputCheck, WebhookDecisions, WebhookOwnerHook, WebhookSendingHook];

/** Webhook endpoints over REST and GraphQL, and sending events to them. */
@Module({})
export class WebhooksModule {
  static forRoot(options: WebhooksOptions): DynamicModule {
    return {
      module: WebhooksModule,
      controllers: [WebhooksController, WebhookDeliveriesController],
      providers: [
        { provide: WEBHOOKS_OPTIONS, useValue: options },
        { provide: OutgoingHttp, useFactory: () => new OutgoingHttp(options.settings) },
        ...records,
        ...checks,
        ...delivery,
        ...commandHandlers,
        ...queryHandlers,
        ...resolvers,
      ],
    };
  }
}
