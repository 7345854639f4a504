import { Module, type DynamicModule } from '@nestjs/common';
import { OutgoingHttp } from '#libs/outgoing-http';
import { ChangeWebhookHandler } from './commands/change-webhook.command.js';
import { DeleteWebhookHandler } from './commands/delete-webhook.command.js';
import { DisableWebhookHandler } from './commands/disable-webhook.command.js';
import { RegisterWebhookHandler, WEBHOOKS_PER_KEY } from './commands/register-webhook.command.js';
import { ReplayEventsHandler } from './commands/replay-events.command.js';
import { RotateWebhookSecretHandler } from './commands/rotate-webhook-secret.command.js';
import { SendDeliveryHandler } from './commands/send-delivery.command.js';
import { WebhookFaults } from './commands/webhook-faults.js';
import { WebhookStreams } from './commands/webhook-streams.js';
import { ActiveEndpoints } from './delivery/active-endpoints.js';
import { DELIVERS, DELIVERY_OPTIONS, type DeliveryOptions } from './delivery/delivery-options.js';
import { DeliveryProcess } from './delivery/delivery-process.js';
import { DeliveryWriter } from './delivery/delivery-writer.js';
import { Sender } from './delivery/sender.js';
import { DeliveryDependencies } from './delivery/delivery-dependencies.js';
import { EventTypes } from './event-types.js';
import { WebhookDeliveriesResolver } from './graphql/webhook-deliveries.resolver.js';
import { WebhookSilenceResolver } from './graphql/webhook-silence.resolver.js';
import { WebhooksResolver } from './graphql/webhooks.resolver.js';
import { GetWebhookHandler } from './queries/get-webhook.query.js';
import { ListDeliveriesHandler } from './queries/list-deliveries.query.js';
import { ListWebhooksHandler } from './queries/list-webhooks.query.js';
import { WebhookReader } from './read-model/webhook.reader.js';
import { DeliveryRecords } from './records/delivery-records.js';
import { EndpointProgress } from './records/endpoint-progress.js';
import { PendingDeliveries } from './records/pending-deliveries.js';
import { WebhookDeliveriesController } from './rest/webhook-deliveries.controller.js';
import { WebhookOwnerHook, WebhookSendingHook } from './rest/webhook-owner.hook.js';
import { WebhooksController } from './rest/webhooks.controller.js';
import { WebhookSecrets } from './signing/webhook-secrets.js';
import { WebhookMetrics } from './webhooks.metrics.js';

export interface WebhooksModuleOptions {
  /** Whether this process sends to endpoints; one of the command line does not. */
  readonly polls: boolean;
  readonly webhooks: DeliveryOptions & {
    /** How many endpoints one API key may have. */
    readonly perKey: number;
  };
}

const commandHandlers = [
  RegisterWebhookHandler,
  ChangeWebhookHandler,
  RotateWebhookSecretHandler,
  DeleteWebhookHandler,
  DisableWebhookHandler,
  SendDeliveryHandler,
  ReplayEventsHandler,
];
const queryHandlers = [GetWebhookHandler, ListWebhooksHandler, ListDeliveriesHandler];
const records = [DeliveryRecords, EndpointProgress, PendingDeliveries, WebhookMetrics];
const delivery = [ActiveEndpoints, DeliveryWriter, Sender, DeliveryDependencies, DeliveryProcess];

/** The webhook endpoints over REST and GraphQL, and what is sent to them. */
@Module({})
export class WebhooksModule {
  static forRoot({ polls, webhooks }: WebhooksModuleOptions): DynamicModule {
    return {
      module: WebhooksModule,
      controllers: [WebhooksController, WebhookDeliveriesController],
      providers: [
        { provide: WEBHOOKS_PER_KEY, useValue: webhooks.perKey },
        { provide: DELIVERY_OPTIONS, useValue: webhooks },
        { provide: DELIVERS, useValue: polls },
        { provide: OutgoingHttp, useFactory: () => new OutgoingHttp(webhooks) },
        EventTypes,
        WebhookFaults,
        WebhookOwnerHook,
        WebhookSendingHook,
        WebhookReader,
        WebhookSecrets,
        WebhooksResolver,
        WebhookDeliveriesResolver,
        WebhookSilenceResolver,
        WebhookStreams,
        ...records,
        ...delivery,
        ...commandHandlers,
        ...queryHandlers,
      ],
    };
  }
}
