import { Controller, Get, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { AdmittedBy, linkNextPage, Operation, pageOf, PageRequest, ReadId, ReadQuery } from '#libs/http';
import type { FastifyReply } from 'fastify';
import { RequiresScope } from '../../auth/index.js';
import { ReplayEvents, SendDelivery } from '../commands/send-events.command.js';
import { ListDeliveries } from '../queries/webhooks.query.js';
import type { Delivery } from '../records/delivery.store.js';
import { acceptedDeliverySchema, acceptedReplaySchema, deliveriesSchema, deliveryExample, ReplayRequest } from './webhook.request.js';
import { WebhookOwnerHook, WebhookSendingHook } from './webhook-owner.hook.js';

const WEBHOOK_ID = 'The id of the webhook endpoint.';
const accepted = {
  status: 202,
  description: 'It is made at once.',
  schema: acceptedDeliverySchema,
  examples: { accepted: { value: { id: 513 } } },
} as const;

/** The deliveries to the webhook endpoints of a key over REST: listing them, tests, replays. */
@ApiTags('webhooks')
@RequiresScope('webhooks')
@AdmittedBy(WebhookOwnerHook)
@Controller('webhooks/:webhookId')
export class WebhookDeliveriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('deliveries')
  @Operation({
    clientSample: 'for await (const delivery of client.webhooks.deliveries(1n)) console.log(delivery);',
    summary: 'List deliveries',
    description: 'One page of the attempts to send to a webhook endpoint in the last 30 days, the newest first.',
    answer: {
      tagged: true,
      description: 'The page.',
      schema: deliveriesSchema,
      examples: { page: { value: [deliveryExample] }, empty: { value: [] } },
    },
    refuses: [404],
  })
  async listDeliveries(
    @ReadId('webhookId', WEBHOOK_ID) id: bigint,
    @ReadQuery(PageRequest) request: PageRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly Delivery[]> {
    const page = (await this.queries.execute(new ListDeliveries([id], pageOf(request)))).get(id);
    linkNextPage(reply, request, page?.next);
    return page?.items ?? [];
  }

  @Post('test')
  @AdmittedBy(WebhookSendingHook)
  @Operation({
    clientSample: 'console.log(await client.webhooks.test(1n));',
    summary: 'Try a webhook endpoint',
    description: 'Sends a message of the type `webhook.test`, once. Its outcome does not count as a failure of the endpoint.',
    answer: accepted,
    refuses: [404, 409],
  })
  async testWebhook(@ReadId('webhookId', WEBHOOK_ID) id: bigint): Promise<{ readonly id: bigint }> {
    return { id: await this.commands.execute(new SendDelivery(id)) };
  }

  @Post('replay')
  @AdmittedBy(WebhookSendingHook)
  @Operation({
    clientSample: 'console.log(await client.webhooks.replay(1n, { after: "0" }));',
    summary: 'Send events again',
    description:
      'Sends all matching events after a position and up to the position of the endpoint, in order, with the same `webhook-id`. ' +
      'It recovers what was given up.',
    answer: {
      status: 202,
      description: 'They are sent.',
      schema: acceptedReplaySchema,
      examples: { accepted: { value: { events: 128 } } },
    },
    refuses: [404, 409, 410],
  })
  async replayEvents(
    @ReadId('webhookId', WEBHOOK_ID) id: bigint,
    @ReadQuery(ReplayRequest) { after }: ReplayRequest,
  ): Promise<{ readonly events: bigint }> {
    return { events: await this.commands.execute(new ReplayEvents(id, BigInt(after))) };
  }

  @Post('deliveries/:deliveryId/redeliver')
  @AdmittedBy(WebhookSendingHook)
  @Operation({
    clientSample: 'console.log(await client.webhooks.redeliver(1n, 1n));',
    summary: 'Send an event again',
    description: 'Sends the event of a delivery again, at once, with the same `webhook-id`.',
    answer: accepted,
    refuses: [404, 409],
  })
  async redeliver(
    @ReadId('webhookId', WEBHOOK_ID) id: bigint,
    @ReadId('deliveryId', 'The id of the delivery.') deliveryId: bigint,
  ): Promise<{ readonly id: bigint }> {
    return { id: await this.commands.execute(new SendDelivery(id, deliveryId)) };
  }
}
